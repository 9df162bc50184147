//! The faces of a mesh: where they are seen, what edges and colours change, and what is refused.

use quadrille::mesh::Mesh;
use quadrille::sim::GeometricFlow;
use quadrille::sim::geometric_flow::Parameters;
use quadrille::view::{Camera, Faces, FacesLook};
use quadrille::{Gpu, Limits, Result};

use crate::support::{on_card, on_gpu, refusal};
use crate::{check_in_its_place, pixels};

const WIDTH: u32 = 160;
const HEIGHT: u32 = 120;

const PLAIN: FacesLook = FacesLook {
    bounds: [[-1.0; 3], [1.0; 3]],
    camera: Camera { azimuth: 20.0, elevation: 30.0, distance: 1.0, field_of_view: 30.0 },
    wires: false,
    colours: None,
    round: false,
    ground: None,
};

/// A flow of this mesh that has not moved yet, and its faces; the bounds of a look are in its unit.
fn shown(gpu: &Gpu, mesh: &Mesh) -> Result<(GeometricFlow, Faces)> {
    let flow = GeometricFlow::new(gpu, mesh, Parameters::default())?;
    flow.refresh()?;
    let faces = Faces::new(gpu, mesh.faces(), flow.places())?;
    Ok((flow, faces))
}

fn in_unit(look: FacesLook, unit: f64) -> FacesLook {
    FacesLook { bounds: look.bounds.map(|corner| corner.map(|x| x / unit)), ..look }
}

/// The backdrop is dark and its colours change down the picture alone.
fn covered(picture: &[[u8; 4]]) -> Vec<bool> {
    picture.chunks(WIDTH as usize).flat_map(|row| row.iter().map(|pixel| *pixel != row[0])).collect()
}

/// All pixels whose middles lie within 0.97 of the sphere's radius are covered, and none beyond 1.03: the
/// icosphere's own faces lie up to 1.4 % inside, and a pixel is 1 % of the picture's height.
#[test]
fn a_sphere_is_seen_as_a_disc_from_every_side() -> Result<()> {
    on_gpu(|gpu| {
        let (flow, mut faces) = shown(gpu, &Mesh::sphere(3)?)?;
        for azimuth in [-100.0, 0.0, 45.0] {
            let camera = Camera { azimuth, field_of_view: 1.0, elevation: 10.0, ..PLAIN.camera };
            let look = in_unit(FacesLook { camera, ..PLAIN }, flow.unit());
            let lens = look.lens(f64::from(WIDTH) / f64::from(HEIGHT))?;
            let at = |place: [f64; 3]| {
                let [x, y] = lens.picture_of(place.map(|v| v / flow.unit()));
                [x * f64::from(WIDTH), y * f64::from(HEIGHT)]
            };
            let ([x, y], [_, top]) = (at([0.0; 3]), at([0.0, 1.0 / 10f64.to_radians().cos(), 0.0]));
            let radius = y - top;
            let picture = pixels(&faces.picture(flow.positions(), &look, WIDTH, HEIGHT)?);
            for (i, covered) in covered(&picture).into_iter().enumerate() {
                let (column, row) = (i as u32 % WIDTH, i as u32 / WIDTH);
                let far = (f64::from(column) + 0.5 - x).hypot(f64::from(row) + 0.5 - y) / radius;
                assert!((far > 0.97 || covered) && (far < 1.03 || !covered), "{column}, {row}: {far}");
            }
        }
        Ok(())
    })
}

#[test]
fn edges_darken_and_curvature_colours() -> Result<()> {
    on_gpu(|gpu| {
        let mesh = Mesh::cube(4)?;
        let (flow, mut faces) = shown(gpu, &mesh)?;
        let look = in_unit(PLAIN, flow.unit());
        let mut picture = |wires, colours| -> Result<Vec<[u8; 4]>> {
            let look = FacesLook { wires, colours, ..look };
            Ok(pixels(&faces.picture(flow.positions(), &look, WIDTH, HEIGHT)?))
        };
        let light = |picture: &[[u8; 4]]| picture.iter().map(|p| u32::from(p[1])).sum::<u32>();
        let (plain, wired) = (picture(false, None)?, picture(true, None)?);
        assert!(light(&wired) < light(&plain) - 100_000, "{} {}", light(&wired), light(&plain));
        assert_eq!(covered(&plain), covered(&wired));
        // The flat sides are blue, the sharp edges are not.
        let coloured = picture(false, Some(0.5))?;
        let count = |wanted: fn(i32) -> bool| {
            coloured.iter().filter(|p| wanted(i32::from(p[2]) - i32::from(p[0]))).count()
        };
        assert!(count(|blueness| blueness > 40) > 1000 && count(|blueness| blueness < -40) > 300);
        let both = picture(true, Some(0.5))?;
        assert!(light(&both) < light(&coloured));
        Ok(())
    })
}

/// Light by normals of vertices: a coarse ball looks like a fine one, but for its outline, where one by triangles does not; a cube's
/// sides stay as flat as they are, and its edges as sharp, but for the light at its rims.
#[test]
fn round_faces_have_the_light_of_the_surface_and_sharp_edges_stay() -> Result<()> {
    on_gpu(|gpu| {
        let picture = |mesh: &Mesh, round| -> Result<Vec<[u8; 4]>> {
            let (flow, mut faces) = shown(gpu, mesh)?;
            let look = in_unit(FacesLook { round, ..PLAIN }, flow.unit());
            Ok(pixels(&faces.picture(flow.positions(), &look, WIDTH, HEIGHT)?))
        };
        let off = |a: &[[u8; 4]], b: &[[u8; 4]]| {
            let pairs = a.iter().zip(b);
            pairs.map(|(a, b)| u64::from(a[1].abs_diff(b[1]))).sum::<u64>() as f64 / a.len() as f64
        };
        let fine = picture(&Mesh::sphere(5)?, true)?;
        let [flat, round] = [picture(&Mesh::sphere(2)?, false)?, picture(&Mesh::sphere(2)?, true)?];
        assert!(off(&round, &fine) < 0.4 * off(&flat, &fine), "{} {}", off(&round, &fine), off(&flat, &fine));
        // Turned inside out it has the same light.
        let ball = Mesh::sphere(2)?;
        let turned = ball.faces().iter().map(|&[a, b, c]| [c, b, a]).collect();
        assert!(off(&picture(&Mesh::new(ball.positions().to_vec(), turned)?, true)?, &round) < 0.2);
        let [flat, round] = [picture(&Mesh::cube(6)?, false)?, picture(&Mesh::cube(6)?, true)?];
        // The rims are 4.4 lighter in the mean; edges that are not kept would make it 5.9 and more.
        assert!(off(&round, &flat) < 5.0, "{}", off(&round, &flat));
        Ok(())
    })
}

/// A ball on a ground: its shadow falls away from the light, the ground is darkest below it, and without faces in the way it is light.
#[test]
fn a_ball_throws_a_shadow_on_its_ground_and_hides_the_sky_below_it() -> Result<()> {
    on_gpu(|gpu| {
        let (flow, mut faces) = shown(gpu, &Mesh::sphere(3)?)?;
        let camera = Camera { azimuth: 0.0, elevation: 35.0, distance: 2.4, ..PLAIN.camera };
        let bare = in_unit(FacesLook { camera, round: true, ..PLAIN }, flow.unit());
        let look = FacesLook { ground: Some(-1.0 / flow.unit()), ..bare };
        let picture = pixels(&faces.picture(flow.positions(), &look, WIDTH, HEIGHT)?);
        let lens = look.lens(f64::from(WIDTH) / f64::from(HEIGHT))?;
        let light = |place: [f64; 3]| {
            let [x, y] = lens.picture_of(place.map(|v| v / flow.unit()));
            let at = (y * f64::from(HEIGHT)) as u32 * WIDTH + (x * f64::from(WIDTH)) as u32;
            i32::from(picture[at as usize][1])
        };
        // Along the light from (-0.62, 0.66, 0.43): the shadow lies around 1 / 0.66 of it, and reaches 1.5 farther.
        let (shadow, beside) = (light([1.6, -1.0, -1.1]), light([-1.6, -1.0, 1.1]));
        assert!(shadow > 0 && 3 * shadow < 2 * beside, "{shadow} in the shadow, {beside} in the light");
        let below = light([0.2, -1.0, 0.45]);
        assert!(below < shadow, "{below} below the ball");
        // The ball has the light that it had, but for where it shades itself.
        let own = pixels(&faces.picture(flow.positions(), &bare, WIDTH, HEIGHT)?);
        let at = |place: [f64; 3]| {
            let [x, y] = lens.picture_of(place.map(|v| v / flow.unit()));
            ((y * f64::from(HEIGHT)) as u32 * WIDTH + (x * f64::from(WIDTH)) as u32) as usize
        };
        let lit = at([-0.55, 0.62, 0.56]);
        assert!(picture[lit][1].abs_diff(own[lit][1]) <= 1, "{:?} {:?}", picture[lit], own[lit]);
        let shaded = at([0.75, -0.1, 0.65]);
        assert!(picture[shaded][1] <= own[shaded][1], "{:?} {:?}", picture[shaded], own[shaded]);
        Ok(())
    })
}

#[test]
fn faces_come_into_their_place_of_a_framebuffer() -> Result<()> {
    on_gpu(|gpu| {
        let (flow, mut faces) = shown(gpu, &Mesh::sphere(2)?)?;
        let look = in_unit(PLAIN, flow.unit());
        let expected = pixels(&faces.picture(flow.positions(), &look, WIDTH, HEIGHT)?);
        check_in_its_place(gpu, &expected, (WIDTH, HEIGHT), |framebuffer, place| {
            faces.draw(flow.positions(), &look, Some(framebuffer), place)
        })
    })
}

#[test]
fn what_cannot_be_drawn_is_refused() -> Result<()> {
    on_gpu(|gpu| {
        let line = refusal(Faces::new(gpu, &[[0, 1, 2]], &[(0, 0), (4096, 0), (1, 1)]));
        assert_eq!(line, "faces to be drawn: columns or rows of vertices is 4097, the limit is 4096");
        let (flow, mut faces) = shown(gpu, &Mesh::sphere(0)?)?;
        let camera = Camera { distance: 0.0, ..PLAIN.camera };
        let look = FacesLook { camera, ..PLAIN };
        assert!(refusal(faces.picture(flow.positions(), &look, 10, 10)).starts_with("distance = 0"));
        Ok(())
    })?;
    on_card(Limits::RADEON_9700, |gpu| {
        let line = refusal(Faces::new(gpu, &[[0, 1, 2]], &[(0, 0), (1, 0), (1, 1)]));
        assert!(line.contains("the limit is 0"), "{line}");
        Ok(())
    })
}
