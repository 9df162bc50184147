//! The ways to make one and the same step: what the course slides teach about branching.

/// How a step spares the cells that do not change, and the tests that come out the same every time.
///
/// | way | passes | sides | neighbours | cells that are not free |
/// |---|---|---|---|---|
/// | [`Branch`](Flow::Branch) | 1 | true branches | true branches | jump over the work |
/// | [`Arithmetic`](Flow::Arithmetic) | 1 | arithmetic | times 1 or 0 | make it, times 0 |
/// | [`Ranges`](Flow::Ranges) | up to 5 | edges have their own kernel | times 1 or 0 | make it, times 0 |
/// | [`Depth`](Flow::Depth) | 1 | arithmetic | times 1 or 0 | are culled by the depth test |
/// | [`Stencil`](Flow::Stencil) | 1 | arithmetic | times 1 or 0 | are culled by the stencil test |
/// | [`Masks`](Flow::Masks) | up to 5 | as `Ranges` | four weights in one fetch | make it, times 0 |
/// | [`Combined`](Flow::Combined) | up to 5 | as `Ranges` | four weights in one fetch | are culled by the depth test |
///
/// # References
/// Harris, *Mapping Computational Concepts to GPUs*, course slides, "GPGPU Flow Control Strategies".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// One kernel that asks in every fragment where it is and what is around it.
    Branch,
    /// The same without a branch: every test becomes a factor or a choice between two numbers that are both there.
    Arithmetic,
    /// Static branch resolution: the interior, where no side has to be looked for, and the edges are ranges of their own.
    Ranges,
    /// Z-cull: a depth surface hides the cells that are not free from the kernel of `Arithmetic`.
    Depth,
    /// Stencil cull: the same by the stencil.
    Stencil,
    /// Pre-computation: what lies around a cell is worked out once and kept until an obstacle changes.
    Masks,
    /// Pre-computed masks under a z-cull: "combine for higher performance".
    #[default]
    Combined,
}

impl Flow {
    /// All of them, in the order of the table.
    pub const ALL: [Flow; 7] = [
        Flow::Branch,
        Flow::Arithmetic,
        Flow::Ranges,
        Flow::Depth,
        Flow::Stencil,
        Flow::Masks,
        Flow::Combined,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Flow::Branch => "branch",
            Flow::Arithmetic => "arithmetic",
            Flow::Ranges => "ranges",
            Flow::Depth => "depth",
            Flow::Stencil => "stencil",
            Flow::Masks => "masks",
            Flow::Combined => "combined",
        }
    }

    /// The way of the step, in one line.
    pub fn shows(self) -> &'static str {
        match self {
            Flow::Branch => "true branches in one kernel",
            Flow::Arithmetic => "arithmetic in the place of branches",
            Flow::Ranges => "interior and edges by kernels of their own (static branch resolution)",
            Flow::Depth => "arithmetic where the depth test lets it through (z-cull)",
            Flow::Stencil => "arithmetic where the stencil test lets it through",
            Flow::Masks => "what is around each cell computed once, until obstacles change (pre-computation)",
            Flow::Combined => "pre-computation and z-cull together",
        }
    }

    /// The way of that name, case aside.
    pub fn named(name: &str) -> Option<Flow> {
        Flow::ALL.into_iter().find(|flow| flow.name().eq_ignore_ascii_case(name))
    }
}
