// Formula:   seen = (x, z) of the water; of a wall (its coordinate along itself + 4 side, how deep): sides 1 and 2 end x, 3 and 4 end z
// Inputs:    place and below of mesh_place; half_sides
// Domain and range: the triangles of the mesh -> where on the grid a texel looks
// Edges:     none
// Reference: Deering et al., The Triangle Processor and Normal Vector Shader, 1988; house
uniform vec2 half_sides;
in vec3 place;
in float below;
RANGE vec2 seen;

void main() {
    if (below > 0.0 && !gl_FrontFacing) {
        discard; // a wall behind the water, seen from within
    }
    vec2 gap = abs(abs(place.xz) - half_sides);
    vec2 wall = gap.x < gap.y ? place.zx : place.xz + vec2(8.0, 0.0);
    seen = below > 0.0 ? vec2(wall.x + (wall.y > 0.0 ? 8.0 : 4.0), below) : place.xz;
}
