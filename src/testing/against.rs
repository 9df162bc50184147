//! Properties: a shader against a plain function, over inputs that look random.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use super::close::{Differing, Tolerance, differing, incomparable, pictures, told};
use super::image::{At, Image, Texel};
use super::shader::Shader;
use crate::gl::{GlslType, Scalar};
use crate::numeric::Random;
use crate::{Error, Result};

/// Sizes that go wrong first: a single texel, one row, one column, odd and prime sides.
const SIZES: &[(u32, u32)] = &[(1, 1), (1, 2), (7, 1), (3, 3), (11, 10), (31, 57), (64, 32)];

/// Draws of one run that look for a smaller case at most.
const SHRINKS: usize = 400;

/// Numbers that are as few that each of them is made simpler.
const FEW: usize = 64;

/// Floats that formulas go wrong with.
const SPECIAL: [f32; 8] =
    [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::MIN_POSITIVE, f32::MAX, f32::MIN];

/// Tries a shader against a plain function of the same inputs: every `sampler2D` gets texels, and every uniform that was
/// not handed over gets values that look random, the same in each run.
///
/// A texture that was handed over before keeps its storage, filter and edge rule, not its texels; see [`Against::keep`].
///
/// ```
/// # fn main() -> quadrille::Result<()> {
/// use quadrille::testing;
///
/// let gpu = testing::gpu()?;
/// let mut invert = gpu.shader("#version 330 core
///     uniform sampler2D scene; in vec2 uv; out vec4 colour;
///     void main() { colour = vec4(1.0) - texture(scene, uv); }")?;
/// testing::against(&mut invert, |at| at.texel("scene").map(|value| 1.0 - value)).tolerance(1e-6).run()
/// # }
/// ```
pub fn against<'a, T: Texel, F: Fn(&At) -> T>(shader: &'a mut Shader, expected: F) -> Against<'a, F> {
    Against {
        shader,
        expected,
        sizes: SIZES.to_vec(),
        tolerance: Tolerance::default(),
        seed: 1,
        rounds: 1,
        values: 0.0..1.0,
        ranges: BTreeMap::new(),
        special: false,
        kept: Vec::new(),
    }
}

/// A property in the making; see [`against`].
#[must_use = "nothing is tried until `.run()`"]
pub struct Against<'a, F> {
    shader: &'a mut Shader,
    expected: F,
    sizes: Vec<(u32, u32)>,
    tolerance: Tolerance,
    seed: u64,
    rounds: u32,
    values: Range<f32>,
    ranges: BTreeMap<String, Range<f32>>,
    special: bool,
    kept: Vec<String>,
}

/// One set of inputs.
#[derive(Clone)]
struct Case {
    size: (u32, u32),
    textures: BTreeMap<String, Image>,
    uniforms: BTreeMap<String, (GlslType, Vec<u32>)>,
}

/// A case that failed: what came, what should have, and where they differ.
struct Failure {
    found: Image,
    expected: Image,
    differing: Differing,
}

impl<T: Texel, F: Fn(&At) -> T> Against<'_, F> {
    /// The sizes of targets and textures; unless said 1×1, 1×2, 7×1, 3×3, 11×10, 31×57 and 64×32.
    pub fn sizes(self, sizes: &[(u32, u32)]) -> Self {
        Against { sizes: sizes.to_vec(), ..self }
    }

    /// The tolerance of the comparison; none unless said.
    pub fn tolerance(self, tolerance: impl Into<Tolerance>) -> Self {
        Against { tolerance: tolerance.into(), ..self }
    }

    /// The range of all values; 0 to 1 unless said.
    pub fn values(self, values: Range<f32>) -> Self {
        Against { values, ..self }
    }

    /// The range of the values of one uniform or texture; whole numbers for `int` and `uint`, 0 to 15 unless said.
    pub fn range(mut self, name: &str, values: Range<f32>) -> Self {
        self.ranges.insert(name.to_owned(), values);
        self
    }

    /// Puts NaN, ±∞, ±0, the smallest normal and the largest numbers among the texels, one in eight. GLSL promises little
    /// about NaN: `min`, `max`, `clamp` and comparisons of it may give either side.
    pub fn special(self) -> Self {
        Against { special: true, ..self }
    }

    /// Leaves the texels of a texture that was handed over as they are.
    pub fn keep(mut self, texture: &str) -> Self {
        self.kept.push(texture.to_owned());
        self
    }

    /// Other numbers than those of seed 1.
    pub fn seed(self, seed: u64) -> Self {
        Against { seed, ..self }
    }

    /// The number of tries of each size; 1 unless said.
    pub fn rounds(self, rounds: u32) -> Self {
        Against { rounds, ..self }
    }

    /// Tries all sizes. What fails is made smaller first, in size and then number by number, as long as it still fails.
    ///
    /// # Errors
    /// Those of [`Shader::draw`]; [`Error::UnknownName`] for a range or a texture to keep that the shader does not have.
    ///
    /// # Panics
    /// If shader and function differ; with the smallest case that was found, its seed, and three pictures.
    pub fn run(mut self) -> Result<()> {
        let samplers: Vec<(String, Option<Image>)> = self
            .shader
            .samplers()
            .into_iter()
            .map(|(name, bound)| (name, bound.map(|bound| bound.image.clone())))
            .collect();
        let unset = self.shader.unset();
        let names: Vec<String> =
            samplers.iter().map(|(name, _)| name.clone()).chain(unset.iter().map(|u| u.0.clone())).collect();
        for name in self.ranges.keys().chain(&self.kept) {
            if !names.contains(name) {
                let (kernel, name) = (self.shader.name().to_owned(), name.clone());
                return Err(Error::UnknownName { kernel, kind: "uniform left to chance", name, has: names });
            }
        }
        let mut random = Random(self.seed);
        let mut outcome = Ok(None);
        'sizes: for size in self.sizes.clone() {
            for _ in 0..self.rounds {
                let case = self.case(size, &samplers, &unset, &mut random);
                outcome = self.fails(&case).map(|failure| failure.map(|failure| (case, failure)));
                if !matches!(outcome, Ok(None)) {
                    break 'sizes;
                }
            }
        }
        let report = match outcome? {
            None => None,
            Some((case, failure)) => Some(self.report(case, failure)?),
        };
        // Whoever goes on with the shader finds what was not handed over as it was.
        self.shader.forget(unset.iter().map(|(name, ..)| name.as_str()));
        for (name, image) in samplers {
            self.shader.replace_texels(&name, image)?;
        }
        assert!(report.is_none(), "{}", report.unwrap_or_default());
        Ok(())
    }

    fn case(
        &self,
        size: (u32, u32),
        samplers: &[(String, Option<Image>)],
        unset: &[(String, GlslType, usize)],
        random: &mut Random,
    ) -> Case {
        let range = |name: &str| self.ranges.get(name).unwrap_or(&self.values).clone();
        let mut textures = BTreeMap::new();
        for (name, _) in samplers.iter().filter(|(name, _)| !self.kept.contains(name)) {
            let range = range(name);
            let mut number = || match self.special && random.below(8) == 0 {
                true => SPECIAL[random.below(SPECIAL.len())],
                false => range.start + random.unit() * (range.end - range.start),
            };
            textures.insert(name.clone(), Image::from_fn(size.0, size.1, |_, _| [(); 4].map(|()| number())));
        }
        let mut uniforms = BTreeMap::new();
        for (name, kind, len) in unset {
            let range = match (kind.scalar, self.ranges.get(name)) {
                (Scalar::Int | Scalar::Uint, None) => 0.0..16.0,
                _ => range(name),
            };
            let mut word = || {
                let value = range.start + random.unit() * (range.end - range.start);
                match kind.scalar {
                    Scalar::Float => value.to_bits(),
                    Scalar::Int => (value.floor() as i32).cast_unsigned(),
                    Scalar::Uint => value.floor() as u32,
                    Scalar::Bool => random.below(2) as u32,
                }
            };
            uniforms.insert(name.clone(), (*kind, (0..len * kind.components()).map(|_| word()).collect()));
        }
        Case { size, textures, uniforms }
    }

    /// Draws a case, and tells where it fails.
    fn fails(&mut self, case: &Case) -> Result<Option<Failure>> {
        let shader = &mut *self.shader;
        for (name, image) in &case.textures {
            shader.replace_texels(name, Some(image.clone()))?;
        }
        for (name, (_, words)) in &case.uniforms {
            shader.set_words(name, words.clone());
        }
        let found = shader.draw(case.size.0, case.size.1)?;
        let expected = found.expected(&self.expected);
        if let Some(why) = incomparable(&found, &expected) {
            let (name, found) = ("expected", why);
            return Err(Error::BadParameter {
                name,
                found,
                expected: "an image of the same shape".to_owned(),
            });
        }
        let differing = differing(&found, &expected, self.tolerance);
        Ok(differing.map(|differing| Failure { found, expected, differing }))
    }

    /// The report of the smallest case that fails.
    fn report(&mut self, case: Case, failure: Failure) -> Result<String> {
        let begun = case.size;
        let (case, failure) = self.shrunk(case, failure)?;
        let (width, height) = case.size;
        let mut report = told(&failure.found, &failure.expected, self.tolerance, &failure.differing);
        let _ = write!(
            report,
            "\n  smallest case: {width}x{height}, found at {}x{}, seed {}",
            begun.0, begun.1, self.seed
        );
        for (name, image) in case.textures.iter().filter(|(_, image)| image.values().len() <= FEW) {
            let _ = write!(report, "\n    {name}: {:?}", image.values());
        }
        for (name, (kind, words)) in &case.uniforms {
            let _ = write!(report, "\n    {name}: {:?}", kind.scalar.numbers(words));
        }
        let name: String =
            self.shader.name().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        report.push_str(&pictures(&failure.found, &failure.expected, &name));
        Ok(report)
    }

    /// A case as small and as simple as it can be made while it fails.
    fn shrunk(&mut self, mut case: Case, mut failure: Failure) -> Result<(Case, Failure)> {
        let mut left = SHRINKS;
        // A smaller target around the first texel that fails.
        'smaller: loop {
            let (width, height) = case.size;
            let (x, y) = failure.differing.first;
            for (w, h) in
                [(1, 1), (width / 2, height), (width, height / 2), (width - 1, height), (width, height - 1)]
            {
                if w == 0 || h == 0 || (w, h) == (width, height) || left == 0 {
                    continue;
                }
                left -= 1;
                let corner =
                    (x.saturating_sub(w / 2).min(width - w), y.saturating_sub(h / 2).min(height - h));
                let cut = |image: &Image| Image::from_fn(w, h, |x, y| image.rgba(corner.0 + x, corner.1 + y));
                let textures = case.textures.iter().map(|(name, image)| (name.clone(), cut(image))).collect();
                let smaller = Case { size: (w, h), textures, uniforms: case.uniforms.clone() };
                if let Some(found) = self.fails(&smaller)? {
                    (case, failure) = (smaller, found);
                    continue 'smaller;
                }
            }
            break;
        }
        // Simpler numbers, one after the other.
        let names: Vec<String> = case.textures.keys().cloned().collect();
        for name in names {
            let count = case.textures.get(&name).map_or(0, |image| image.values().len());
            for place in (0..count).filter(|_| count <= FEW) {
                for simpler in simpler(case.textures[&name].values()[place]) {
                    if left == 0 {
                        return Ok((case, failure));
                    }
                    left -= 1;
                    let mut tried = case.clone();
                    let values = tried.textures.get(&name).map_or(&[][..], Image::values);
                    let values = values
                        .iter()
                        .enumerate()
                        .map(|(i, v)| if i == place { simpler } else { *v })
                        .collect();
                    tried.textures.insert(name.clone(), Image::new(case.size.0, case.size.1, 4, values)?);
                    if let Some(found) = self.fails(&tried)? {
                        (case, failure) = (tried, found);
                        break;
                    }
                }
            }
        }
        let names: Vec<String> = case.uniforms.keys().cloned().collect();
        for name in names {
            let (kind, words) = case.uniforms[&name].clone();
            for place in (0..words.len()).filter(|_| words.len() <= FEW && kind.scalar == Scalar::Float) {
                for simpler in simpler(f32::from_bits(words[place])) {
                    if left == 0 {
                        return Ok((case, failure));
                    }
                    left -= 1;
                    let mut tried = case.clone();
                    if let Some((_, words)) = tried.uniforms.get_mut(&name) {
                        words[place] = simpler.to_bits();
                    }
                    if let Some(found) = self.fails(&tried)? {
                        (case, failure) = (tried, found);
                        break;
                    }
                }
            }
        }
        Ok((case, failure))
    }
}

/// Simpler numbers than this one, the simplest first.
fn simpler(value: f32) -> Vec<f32> {
    let all = [0.0, 1.0, value.trunc(), (8.0 * value).trunc() / 8.0];
    let mut simpler: Vec<f32> = Vec::new();
    for number in all.into_iter().take_while(|number| number.to_bits() != value.to_bits()) {
        if number.is_finite() && !simpler.contains(&number) {
            simpler.push(number);
        }
    }
    simpler
}
