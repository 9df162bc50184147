//! The limits of a pass on a driver, or on a card of 2003.

/// The limits of a pass: the driver's numbers, or lower ones chosen by the user.
///
/// Operations that exceed textures, streams, targets, fetches or blending are refused or split. Dependent fetches,
/// instructions and iterations are only information, because no compiler of GLSL counts them.
///
/// With the limits of an old card, operations split themselves into the passes that the papers needed:
/// [`Limits::RADEON_9700`], [`Limits::GEFORCE_FX`], [`Limits::GEFORCE_6800`].
///
/// # References
/// Harris, *Mapping Computational Concepts to GPUs*, §31.2.1 and §31.3.5; Moravánszky, *Dense Matrix
/// Algebra on the GPU* (ps_2_0: 32 fetches, 64 arithmetic instructions, four levels of dependent fetches).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Whose limits these are.
    pub name: &'static str,
    /// Largest width and height of a texture, in texels.
    pub texture_size: u32,
    /// Streams (texture units) of one fragment program.
    pub streams: u32,
    /// Streams of one vertex program (vertex texture fetch).
    pub vertex_streams: u32,
    /// Render targets of one pass.
    pub targets: u32,
    /// Fetches of one fragment in one pass.
    pub fetches: u32,
    /// Levels of dependent fetches (an address that was itself fetched).
    pub dependent_fetches: u32,
    /// Instructions of one fragment program.
    pub instructions: u32,
    /// Iterations of all loops of one fragment in one pass.
    pub loop_iterations: u32,
    /// Additive blending into 32-bit float targets.
    pub float_blend: bool,
    /// Linear filtering of 32-bit float textures.
    pub float_filter: bool,
}

/// Stands for "more than any kernel asks for".
const PLENTY: u32 = 65_535;

impl Limits {
    /// ATI Radeon 9700 (R300, 2002): ps_2_0, 32 fetches, four targets, no float blending.
    pub const RADEON_9700: Limits = Limits {
        name: "RADEON_9700",
        texture_size: 2048,
        streams: 16,
        vertex_streams: 0,
        targets: 4,
        fetches: 32,
        dependent_fetches: 4,
        instructions: 64,
        loop_iterations: 0,
        float_blend: false,
        float_filter: false,
    };

    /// NVIDIA GeForce FX (NV30, 2003): 1024 instructions, any of them a fetch, one target.
    pub const GEFORCE_FX: Limits = Limits {
        name: "GEFORCE_FX",
        texture_size: 4096,
        targets: 1,
        fetches: 1024,
        dependent_fetches: PLENTY,
        instructions: 1024,
        ..Limits::RADEON_9700
    };

    /// NVIDIA GeForce 6800 (NV40, 2004): ps_3_0 with loops, vertex texture fetch, four targets.
    pub const GEFORCE_6800: Limits = Limits {
        name: "GEFORCE_6800",
        vertex_streams: 4,
        targets: 4,
        fetches: PLENTY,
        instructions: PLENTY,
        loop_iterations: PLENTY,
        ..Limits::GEFORCE_FX
    };

    /// The card of that name: `RADEON_9700`, `GEFORCE_FX` or `GEFORCE_6800`, in any case.
    pub fn named(name: &str) -> Option<Limits> {
        match name.to_ascii_uppercase().replace('-', "_").as_str() {
            "RADEON_9700" => Some(Limits::RADEON_9700),
            "GEFORCE_FX" => Some(Limits::GEFORCE_FX),
            "GEFORCE_6800" => Some(Limits::GEFORCE_6800),
            _ => None,
        }
    }

    /// The lower of each number of the two, under the other's name: a card cannot exceed its driver.
    pub fn lowered_to(&self, card: &Limits) -> Limits {
        Limits {
            name: card.name,
            texture_size: self.texture_size.min(card.texture_size),
            streams: self.streams.min(card.streams),
            vertex_streams: self.vertex_streams.min(card.vertex_streams),
            targets: self.targets.min(card.targets),
            fetches: self.fetches.min(card.fetches),
            dependent_fetches: self.dependent_fetches.min(card.dependent_fetches),
            instructions: self.instructions.min(card.instructions),
            loop_iterations: self.loop_iterations.min(card.loop_iterations),
            float_blend: self.float_blend && card.float_blend,
            float_filter: self.float_filter && card.float_filter,
        }
    }

    pub(super) const PLENTY: u32 = PLENTY;
}
