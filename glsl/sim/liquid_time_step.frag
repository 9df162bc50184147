// Formula:   dt = min(longest, across / (n max|u| + sqrt(n a))), n voxels a metre
// Inputs:    largest |u|, |v|, |w| (m/s); voxels a metre; voxels that a path may cross; acceleration (m/s^2); longest (s)
// Domain and range: one texel
// Edges:     none
// Reference: Bridson, Fluid Simulation, 2008, section 3.2: a voxel of free fall makes the root
uniform Stream u, v, w;
uniform float voxels_a_metre, across, acceleration, longest;
DOMAIN at;
RANGE float time_step;

void main() {
    float fastest = max(value2(u, at).x, max(value2(v, at).x, value2(w, at).x));
    float speed = voxels_a_metre * fastest + sqrt(voxels_a_metre * acceleration);
    time_step = min(longest, across / max(speed, 1e-30));
}
