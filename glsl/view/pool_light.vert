// Formula:   a ray of the sun, broken at a node of the surface, p + b (depth + p.y) / -b.y on the floor, less what still water moves it
// Inputs:    nodes (height, slopes, wild); mesh = (columns, rows, nodes a vertex, cells a node); cell, half_sides, depth, relief, sun
// Domain and range: gl_VertexID -> a strip over the nodes, laid out on the floor
// Edges:     clamp
// Reference: Evan Wallace, WebGL Water, 2011 (a displaced grid of light); Shah & Konttinen, Caustics Mapping, 2007
uniform Stream nodes;
uniform vec4 mesh;
uniform vec2 half_sides;
uniform float cell, depth, relief;
uniform vec3 sun;
out vec2 before; // where the ray would meet the water at rest
out vec3 met;    // where it meets the water
out vec3 beam;   // how it goes on

void main() {
    // A row of the strip: the upper and lower node of each column in turn, its first and last vertex twice.
    float count = 2.0 * (mesh.x + 1.0) + 2.0, id = float(gl_VertexID);
    float row = floor((id + 0.5) / count), along = id - row * count;
    float carry = float(along >= count) - float(along < 0.0); // when the quotient was rounded
    row += carry;
    along = clamp(along - carry * count - 1.0, 0.0, count - 3.0);
    float column = floor(along * 0.5);
    vec2 node = min(vec2(column, row + along - 2.0 * column) * mesh.z, nodes.extent.xy - 1.0);

    vec4 water = value2(nodes, node + 0.5);
    vec2 ground = min(node * mesh.w * cell, 2.0 * half_sides) - half_sides, slope = step(-1e-3, water.w) * relief / cell * water.yz; // stone breaks no light
    met = vec3(ground.x, clamp(relief * water.x, -0.9 * depth, depth), ground.y);
    beam = refract(-sun, normalize(vec3(-slope.x, 1.0, -slope.y)), 0.75);
    vec3 still = refract(-sun, vec3(0.0, 1.0, 0.0), 0.75);
    before = met.xz - sun.xz * (met.y / sun.y);
    vec2 after = met.xz - beam.xz * ((met.y + depth) / min(beam.y, -0.05)) + still.xz * (depth / still.y);
    gl_Position = vec4(after / half_sides, 0.0, 1.0);
}
