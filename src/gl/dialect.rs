//! The attributes asked of glutin for each dialect, with a window or without one.

use glutin::context::{ContextApi, ContextAttributesBuilder, GlProfile, Version};

use super::Api;

/// OpenGL 3.3 core or OpenGL ES 3.0: the portable floor, and no more.
pub(super) fn attributes(api: Api) -> ContextAttributesBuilder {
    let attributes = ContextAttributesBuilder::new();
    match api {
        Api::Gl => attributes
            .with_context_api(ContextApi::OpenGl(Some(Version::new(3, 3))))
            .with_profile(GlProfile::Core),
        Api::Gles => attributes.with_context_api(ContextApi::Gles(Some(Version::new(3, 0)))),
    }
}
