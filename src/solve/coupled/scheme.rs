//! The time schemes, in increments.

/// A time scheme for du/dt = J u + N(u): J is linear and taken at the end of a step, N is explicit.
///
/// With δ = uⁿ⁺¹ − uⁿ every one solves (c₀ − γΔt J) δ = R, and R = k₀ δⁿ⁻¹ + k₁ J uⁿ + k₂ Nⁿ + k₃ Nⁿ⁻¹.
///
/// # References
/// Ascher, Ruuth & Wetton, *Implicit-explicit methods for time-dependent partial differential equations*, 1995.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Backward Euler for J, Euler for N: order 1, damps the most.
    ImexEuler,
    /// Two-step backward differences (SBDF): order 2, damps the shortest waves.
    #[default]
    Sbdf2,
    /// Crank–Nicolson for J, Adams–Bashforth for N: order 2, hardly damps the shortest waves.
    Cnab2,
    /// Crank–Nicolson for an equation that is linear but for its sources: order 2, keeps energies.
    Cn,
}

impl Scheme {
    /// c₀ and γ.
    pub fn implicit(self) -> (f64, f64) {
        match self {
            Scheme::ImexEuler => (1.0, 1.0),
            Scheme::Sbdf2 => (1.5, 1.0),
            Scheme::Cnab2 | Scheme::Cn => (1.0, 0.5),
        }
    }

    /// k₀ to k₃ for a step of Δt.
    pub fn explicit(self, step: f64) -> [f64; 4] {
        match self {
            Scheme::ImexEuler | Scheme::Cn => [0.0, step, step, 0.0],
            Scheme::Sbdf2 => [0.5, step, 2.0 * step, -step],
            Scheme::Cnab2 => [0.0, step, 1.5 * step, -0.5 * step],
        }
    }

    /// The scheme of a step with nothing before it: those that remember begin with [`Scheme::ImexEuler`].
    pub fn first(self) -> Scheme {
        match self {
            Scheme::Cn => Scheme::Cn,
            _ => Scheme::ImexEuler,
        }
    }

    /// True if what is known of sources and edges is the mean of both ends of a step, not that of its end.
    pub fn is_centred(self) -> bool {
        matches!(self, Scheme::Cnab2 | Scheme::Cn)
    }
}
