// Copyright (c) 2015 Mark Lundin. MIT License: LICENSE.md beside this file.
// From glsl-sdf-primitives 0.0.1 of npm, after Inigo Quilez, as it is there from the next line on.
float sdTorus( vec3 p, vec2 t )
{
  vec2 q = vec2(length(p.xz)-t.x,p.y);
  return length(q)-t.y;
}

#pragma glslify: export(sdTorus)
