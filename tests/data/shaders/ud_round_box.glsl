// Copyright (c) 2015 Mark Lundin. MIT License: LICENSE.md beside this file.
// From glsl-sdf-primitives 0.0.1 of npm, after Inigo Quilez, as it is there from the next line on.
float udRoundBox( vec3 p, vec3 b, float r )
{
  return length(max(abs(p)-b,0.0))-r;
}

#pragma glslify: export(udRoundBox)
