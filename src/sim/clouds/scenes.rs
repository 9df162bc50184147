//! Days to begin with.

use super::{Air, Parameters, Setting};

/// The kind of day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scene {
    /// Fair weather: heaps of cloud with flat bases over warm patches of ground.
    #[default]
    Cumulus,
    /// Moist and unstable up to a high inversion: heaps that grow into towers.
    Towers,
    /// Dry air whose θ rises with height, over a ground that gives nothing: it stays at rest.
    Stable,
}

impl Scene {
    /// All of them.
    pub const ALL: [Scene; 3] = [Scene::Cumulus, Scene::Towers, Scene::Stable];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scene::Cumulus => "cumulus",
            Scene::Towers => "towers",
            Scene::Stable => "stable",
        }
    }

    /// The course of the scene, in a line.
    pub fn shows(self) -> &'static str {
        match self {
            Scene::Cumulus => "Fair: heaps of cloud with flat bases over warm patches of ground",
            Scene::Towers => "Moist and unstable: heaps that grow into towers",
            Scene::Stable => {
                "Dry air over a ground that gives nothing, which stays at rest until the mouse warms it"
            }
        }
    }

    /// The box and what happens in it.
    pub fn start(self) -> (Setting, Parameters) {
        let (setting, parameters) = (Setting::default(), Parameters::default());
        match self {
            Scene::Cumulus => {
                // Hardly unstable above the base: what rises stays about as wide as it was there.
                let air = Air { lapse: 5.2e-3, inversion: 2000.0, ..setting.air };
                (Setting { air, ..setting }, Parameters { heat: 500.0, ..parameters })
            }
            Scene::Towers => {
                let air = Air { lapse: 7.2e-3, inversion: 2900.0, ..setting.air };
                (Setting { air, ..setting }, parameters)
            }
            Scene::Stable => {
                let still = Parameters { heat: 0.0, ..parameters };
                (Setting { air: Air::dry(6.5e-3), ..setting }, still)
            }
        }
    }
}
