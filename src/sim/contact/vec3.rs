//! Vectors of three numbers, matrices of three rows, and quaternions (x, y, z, w).

pub type Vec3 = [f64; 3];
/// Row after row.
pub type Mat3 = [Vec3; 3];

pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

/// a + s b
pub fn mad(a: Vec3, s: f64, b: Vec3) -> Vec3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    mad(a, 1.0, b)
}

pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    mad(a, -1.0, b)
}

pub fn scaled(a: Vec3, s: f64) -> Vec3 {
    a.map(|x| s * x)
}

/// a ⊙ b, element by element.
pub fn times(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// M v
pub fn apply(m: &Mat3, v: Vec3) -> Vec3 {
    m.map(|row| dot(row, v))
}

/// Mᵀ v
pub fn apply_transposed(m: &Mat3, v: Vec3) -> Vec3 {
    let sum = mad(scaled(m[0], v[0]), v[1], m[1]);
    mad(sum, v[2], m[2])
}

/// The rotation matrix of a unit quaternion.
pub fn rotation([x, y, z, w]: [f64; 4]) -> Mat3 {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// p q: first q, then p.
pub fn quaternion_product(p: [f64; 4], q: [f64; 4]) -> [f64; 4] {
    let ([a, b, c, s], [x, y, z, w]) = (p, q);
    [
        s * x + a * w + b * z - c * y,
        s * y - a * z + b * w + c * x,
        s * z + a * y - b * x + c * w,
        s * w - a * x - b * y - c * z,
    ]
}

/// q / ‖q‖
pub fn unit_quaternion(q: [f64; 4]) -> [f64; 4] {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / length)
}

/// Two unit vectors that make a right-handed frame with the unit vector `normal`: the first stands on it and on the
/// axis that it leans on least.
pub fn tangents(normal: Vec3) -> [Vec3; 2] {
    let least = (0..3).fold(0, |k, i| if normal[i].abs() < normal[k].abs() { i } else { k });
    let mut axis = [0.0; 3];
    axis[least] = 1.0;
    let first = cross(axis, normal);
    let first = scaled(first, 1.0 / norm(first));
    [first, cross(normal, first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_make_a_frame_with_any_normal() {
        for normal in
            [[0.0, 1.0, 0.0], [0.0, -0.0, -1.0], [0.6, 0.8, 0.0], [0.48, 0.6, 0.64], [1.0, 0.0, 0.0]]
        {
            let [first, second] = tangents(normal);
            for (a, b) in [(normal, first), (normal, second), (first, second)] {
                assert!(dot(a, b).abs() < 1e-15, "{normal:?}");
            }
            assert!(norm(sub(cross(first, second), normal)) < 1e-15, "{normal:?}");
        }
    }

    #[test]
    fn a_product_of_quaternions_turns_as_the_product_of_their_matrices() {
        let p = unit_quaternion([0.1, -0.7, 0.3, 0.5]);
        let q = unit_quaternion([-0.4, 0.2, 0.9, 0.1]);
        let v = [0.3, -1.2, 2.0];
        let both = apply(&rotation(quaternion_product(p, q)), v);
        let each = apply(&rotation(p), apply(&rotation(q), v));
        assert!(norm(sub(both, each)) < 1e-14);
        assert!(norm(sub(apply_transposed(&rotation(p), apply(&rotation(p), v)), v)) < 1e-14);
    }
}
