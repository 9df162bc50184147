//! Groups on the diagonal: each product is that of the group alone.

use super::support::{on_card, on_gpu, refusal};
use quadrille::linalg::Algebra;
use quadrille::matrix::{Blocks, DenseOperator, Matrix};
use quadrille::numeric::Random;
use quadrille::{Gpu, Limits, Result};

const MIXES: &[&[usize]] =
    &[&[1], &[4], &[5], &[400], &[1, 1, 1, 1, 1], &[3, 64, 1, 31, 129, 2, 8], &[257, 5, 260], &[16; 40]];

struct Group {
    n: usize,
    entries: Vec<f32>,
    x: Vec<f32>,
}

fn groups(sizes: &[usize]) -> Vec<Group> {
    let mut random = Random(sizes.len() as u64);
    sizes.iter().map(|&n| Group { n, entries: random.floats(n * n), x: random.floats(n) }).collect()
}

fn blocks(algebra: &Algebra, groups: &[Group]) -> Result<Blocks> {
    let given: Vec<(&[f32], usize)> =
        groups.iter().map(|group| (group.entries.as_slice(), group.n)).collect();
    Blocks::from_groups(algebra, &given)
}

fn column(blocks: &Blocks, parts: &[&[f32]]) -> Result<Matrix> {
    Matrix::new(blocks.algebra(), blocks.rows(), 1, &blocks.scatter(parts)?)
}

/// A sum of n products, in any order: at most (n + 3)·2⁻²⁴·Σ|a x|.
fn is_each_groups_own(gpu: &Gpu, sizes: &[usize], what: &str) -> Result<()> {
    let groups = groups(sizes);
    let blocks = blocks(&Algebra::new(gpu), &groups)?;
    let parts: Vec<&[f32]> = groups.iter().map(|group| group.x.as_slice()).collect();
    let x = column(&blocks, &parts)?;
    let mut y = Matrix::zeros(blocks.algebra(), blocks.rows(), 1)?;
    blocks.apply(&x, &mut y)?;
    let y = y.get()?;
    for (index, (group, y)) in groups.iter().zip(blocks.gather(&y)?).enumerate() {
        for (i, row) in group.entries.chunks(group.n).enumerate() {
            let terms = || row.iter().zip(&group.x).map(|(a, x)| f64::from(*a) * f64::from(*x));
            let (sum, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
            let bound = (group.n as f64 + 3.0) * 2f64.powi(-24) * size;
            assert!((f64::from(y[i]) - sum).abs() <= bound, "{what}: row {i} of group {index} of {sizes:?}");
        }
    }
    assert!(blocks.scatter(&blocks.gather(&y)?)? == y, "{what}, {sizes:?}: 0 between the groups");
    Ok(())
}

#[test]
fn products_of_blocks_are_those_of_each_group() -> Result<()> {
    on_gpu(|gpu| MIXES.iter().try_for_each(|sizes| is_each_groups_own(gpu, sizes, "driver")))
}

#[test]
fn products_of_blocks_are_cut_into_the_passes_of_old_cards() -> Result<()> {
    for card in [Limits::RADEON_9700, Limits::GEFORCE_FX, Limits::GEFORCE_6800] {
        on_card(card, |gpu| MIXES.iter().try_for_each(|sizes| is_each_groups_own(gpu, sizes, card.name)))?;
    }
    // So few fetches and such small textures that parts do not suffice: sums on top of sums.
    let tiny = Limits { name: "tiny", fetches: 12, texture_size: 512, ..Limits::RADEON_9700 };
    on_card(tiny, |gpu| {
        MIXES.iter().try_for_each(|sizes| is_each_groups_own(gpu, sizes, "tiny"))?;
        is_each_groups_own(gpu, &[400; 5], "tiny")
    })
}

/// The largest lie first, so that fragments beside each other have as many columns to go through.
#[test]
fn groups_lie_by_size_at_multiples_of_four_rows() -> Result<()> {
    on_gpu(|gpu| {
        let blocks = blocks(&Algebra::new(gpu), &groups(&[2, 9, 4, 9]))?;
        assert_eq!(blocks.rows(), 12 + 12 + 4 + 4);
        assert_eq!(blocks.starts().collect::<Vec<_>>(), [28, 0, 24, 12]);
        let one = blocks.scatter(&[&[1.0; 2], &[2.0; 9], &[3.0; 4], &[4.0; 9]])?;
        assert_eq!(one[9..14], [0.0, 0.0, 0.0, 4.0, 4.0]);
        assert_eq!(one[24..], [3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 0.0, 0.0]);
        let known: Vec<_> =
            DenseOperator::groups(&blocks)?.iter().map(|group| (group.start, group.n)).collect();
        assert_eq!(known, [(28, 2), (0, 9), (24, 4), (12, 9)]);
        Ok(())
    })
}

#[test]
fn a_matrix_is_one_group() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let entries = Random(1).floats(49);
        let matrix = Matrix::new(&algebra, 7, 7, &entries)?;
        let whole: &dyn DenseOperator = &matrix;
        let groups = whole.groups()?;
        assert_eq!((whole.size(), groups.len(), groups[0].rows()), (7, 1, 0..7));
        assert_eq!(groups[0].entries, entries);
        let x = Matrix::new(&algebra, 7, 1, &Random(2).floats(7))?;
        let (mut y, mut expected) = (Matrix::zeros(&algebra, 7, 1)?, Matrix::zeros(&algebra, 7, 1)?);
        whole.apply(&x, &mut y)?;
        expected.multiply(&matrix, &x)?;
        assert_eq!(y.get()?, expected.get()?);
        Ok(())
    })
}

#[test]
fn groups_that_are_none_are_refused_in_one_line() -> Result<()> {
    on_gpu(|gpu| {
        let algebra = Algebra::new(gpu);
        let from = |groups: &[(&[f32], usize)]| refusal(Blocks::from_groups(&algebra, groups));
        assert_eq!(from(&[]), "blocks: size 0x0 has no elements");
        assert_eq!(from(&[(&[1.0], 1), (&[], 0)]), "group 1: size 0x0 has no elements");
        assert_eq!(from(&[(&[1.0; 3], 2)]), "group 0: 3 values given, 4 expected (2x2)");
        let blocks = blocks(&algebra, &groups(&[2, 3]))?;
        let line = refusal(blocks.scatter(&[&[1.0; 2]]));
        assert_eq!(line, "parts of a vector: 1 values given, 2 expected (2 groups)");
        let line = refusal(blocks.scatter(&[&[1.0; 2], &[1.0; 2]]));
        assert_eq!(line, "part 1 of a vector: 2 values given, 3 expected (2 groups)");
        let line = refusal(blocks.gather(&[1.0; 7]));
        assert_eq!(line, "vector of blocks: 7 values given, 8 expected (2 groups)");
        let mut y = Matrix::zeros(&algebra, 8, 1)?;
        let line = refusal(blocks.apply(&Matrix::zeros(&algebra, 5, 1)?, &mut y));
        assert_eq!(line, "vector of blocks: 5x1, expected 8x1");
        Ok(())
    })?;
    on_card(Limits { name: "tiny", texture_size: 64, ..Limits::RADEON_9700 }, |gpu| {
        let algebra = Algebra::new(gpu);
        let line = refusal(blocks(&algebra, &groups(&[65])));
        assert_eq!(line, "blocks: columns of a group is 68, the limit is 64");
        let line = refusal(blocks(&algebra, &groups(&[1; 65])));
        assert_eq!(line, "blocks: texels of four rows is 65, the limit is 64");
        Ok(())
    })
}
