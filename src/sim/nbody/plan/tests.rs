use super::*;

const BUDGET: u64 = 256 << 20;

/// A card of today whose textures end at 16 384.
const TODAY: Limits = Limits { texture_size: 16_384, ..Limits::GEFORCE_6800 };

fn plan(limits: &Limits, forces: Forces, bodies: usize, bytes: u64) -> Result<Plan> {
    Plan::new(limits, forces, Fold::near_square(bodies, limits.texture_size)?, bytes, 16)
}

#[test]
fn the_matrix_of_8192_bodies_takes_five_tiles_of_256_mib() -> Result<()> {
    let found = plan(&TODAY, Forces::Matrix, 8192, BUDGET)?;
    // 91 x 91 places in the array, so 8281 columns: 2026 rows fit, and five tiles of 26 x 64 waste less.
    let expected = Plan { part: Part::Bodies(1), parts: 8192, tile_parts: 1664, tile_rows: 91, targets: 1 };
    assert_eq!(found, expected);
    Ok(())
}

#[test]
fn loops_of_8192_bodies_are_four_tiles_of_parts_side_by_side() -> Result<()> {
    let expected = Plan { part: Part::Rows(3), parts: 31, tile_parts: 31, tile_rows: 23, targets: 4 };
    assert_eq!(plan(&TODAY, Forces::Tiled, 8192, BUDGET)?, expected);
    let one_target = Limits { targets: 1, ..TODAY };
    let expected = Plan { part: Part::Rows(12), parts: 8, tile_parts: 8, tile_rows: 91, targets: 1 };
    assert_eq!(plan(&one_target, Forces::Tiled, 8192, BUDGET)?, expected);
    Ok(())
}

#[test]
fn no_fragment_loops_past_any_cap_and_all_bodies_are_in_a_part() -> Result<()> {
    for loops in [65_535, 5000, 100] {
        let limits = Limits { loop_iterations: loops, ..TODAY };
        for bodies in [1, 2, 3, 31, 1000, 8192, 65_537, 262_145, 1_000_003, 1 << 24] {
            let fold = Fold::near_square(bodies, limits.texture_size)?;
            let Plan { part, parts, .. } = plan(&limits, Forces::Tiled, bodies, BUDGET)?;
            match part {
                Part::Rows(rows) => {
                    assert!(rows * (fold.width + 1) <= loops.min(ITERATIONS), "{bodies} bodies");
                    assert!(parts * rows >= fold.height);
                }
                Part::Bodies(few) => {
                    assert!(fold.width + 1 > loops, "{bodies} bodies");
                    assert!(parts as usize * few as usize >= bodies);
                }
            }
        }
    }
    Ok(())
}

#[test]
fn tiles_keep_to_the_budget_and_to_the_texture_limit() -> Result<()> {
    let cards = [TODAY, Limits::GEFORCE_6800, Limits::GEFORCE_FX, Limits::RADEON_9700];
    let ways = [Forces::Matrix, Forces::Tiled];
    for (limits, forces) in cards.into_iter().flat_map(|limits| ways.map(|forces| (limits, forces))) {
        for bodies in [1, 2, 31, 8192, 32_768, 1_000_003] {
            let width = Fold::near_square(bodies, limits.texture_size)?.width;
            for bytes in [u64::from(width) * 64, 1 << 20, BUDGET] {
                let plan = plan(&limits, forces, bodies, bytes)?;
                let (columns, rows) = (plan.tile_rows * width, plan.tile_parts);
                assert!(columns <= limits.texture_size && rows <= limits.texture_size);
                let texel = 16 * u64::from(plan.targets);
                assert!(u64::from(columns) * u64::from(rows) * texel <= bytes, "{bodies} {plan:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_budget_that_holds_no_row_of_forces_is_refused_with_the_least() -> Result<()> {
    // 130 bodies are 12 x 11.
    let line = plan(&TODAY, Forces::Matrix, 130, 191).err().map(|error| error.to_string());
    assert!(line.as_deref().is_some_and(|line| line.contains("192 or more")), "{line:?}");
    plan(&TODAY, Forces::Matrix, 130, 192).map(|_| ())
}

/// 64 instructions are three bodies, 1024 are 51.
#[test]
fn a_card_without_loops_sums_what_its_instructions_allow() -> Result<()> {
    let bodies_a_part = |limits| plan(&limits, Forces::Tiled, 8192, BUDGET).map(|plan| plan.part);
    assert_eq!(bodies_a_part(Limits::RADEON_9700)?, Part::Bodies(3));
    assert_eq!(bodies_a_part(Limits::GEFORCE_FX)?, Part::Bodies(51));
    assert_eq!(bodies_a_part(Limits::GEFORCE_6800)?, Part::Rows(3));
    let few = plan(&Limits { fetches: 32, ..TODAY }, Forces::Tiled, 8192, BUDGET)?;
    assert_eq!((few.part, few.targets), (Part::Bodies(31), 1));
    Ok(())
}

#[test]
fn more_bodies_than_floats_can_number_are_refused() {
    let line = plan(&TODAY, Forces::Tiled, (1 << 24) + 1, BUDGET).err().map(|error| error.to_string());
    let expected = "16777217 bodies: number of bodies is 16777217, the limit is 16777216";
    assert_eq!(line.as_deref(), Some(expected));
}
