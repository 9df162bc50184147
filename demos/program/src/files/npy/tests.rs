//! Round trips, every refusal, and files damaged at random.

fn read_from(file: impl Read, length: Option<u64>) -> Result<Array> {
    super::read_from(file, length, sizes, OutOfRange::Infinite)
}

use super::*;
use std::fs;

fn counted(height: usize, width: usize, components: usize) -> Array {
    let values = (0..height * width * components).map(|value| value as f32).collect();
    Array { height, width, components, values }
}

/// A `.npy` file with any header over any elements.
fn file(descr: &str, fortran_order: bool, shape: &[u64], elements: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Header { descr: descr.into(), fortran_order, shape: shape.to_vec() }.write(&mut bytes)?;
    bytes.extend_from_slice(elements);
    Ok(bytes)
}

fn parse(bytes: &[u8]) -> Result<Array> {
    read_from(bytes, Some(bytes.len() as u64))
}

/// The error of reading a file with this header and so many bytes after it.
fn error_of(descr: &str, shape: &[u64], bytes: usize) -> Result<String> {
    let file = file(descr, false, shape, &vec![0; bytes])?;
    Ok(parse(&file).err().map(|error| format!("{error:#}")).unwrap_or_default())
}

#[test]
fn what_is_written_reads_back_at_every_size() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.npy");
    for (height, width) in [(1, 1), (1, 2), (2, 1), (3, 3), (11, 10), (31, 57), (256, 128), (127, 131)] {
        for components in 1..=4 {
            let array = counted(height, width, components);
            write(&path, &array)?;
            assert_eq!(read(&path)?, array);
        }
    }
    Ok(())
}

#[test]
fn one_component_has_two_dimensions_and_more_have_three() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.npy");
    for (components, shape) in [(1, &[2, 3][..]), (2, &[2, 3, 2])] {
        write(&path, &counted(2, 3, components))?;
        assert_eq!(Header::read(&mut File::open(&path)?)?.shape, shape);
    }
    Ok(())
}

#[test]
fn nan_infinities_and_the_sign_of_zero_survive() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.npy");
    let values = vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE / 2.0, f32::MAX];
    write(&path, &Array { height: 1, width: 6, components: 1, values: values.clone() })?;
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&read(&path)?.values), bits(&values));
    Ok(())
}

#[test]
fn fortran_order_is_turned_to_rows() -> Result<()> {
    let columns: Vec<u8> = (0..24).collect(); // value = row + 2 (column + 3 component)
    let array = parse(&file("|u1", true, &[2, 3, 4], &columns)?)?;
    for row in 0..2 {
        for column in 0..3 {
            for component in 0..4 {
                let value = array.values[(row * 3 + column) * 4 + component];
                assert_eq!(value, (row + 2 * (column + 3 * component)) as f32);
            }
        }
    }
    Ok(())
}

#[test]
fn other_shapes_are_refused_by_name() -> Result<()> {
    let shapes = [&[][..], &[4], &[1, 1, 1, 4], &[2, 2, 0], &[2, 2, 5], &[0, 2], &[2, 0, 3]];
    let names = ["()", "(4,)", "(1, 1, 1, 4)", "(2, 2, 0)", "(2, 2, 5)", "(0, 2)", "(2, 0, 3)"];
    let expected = "expected (height, width) or (height, width, 1 to 4), none of them 0";
    for (shape, name) in shapes.into_iter().zip(names) {
        assert_eq!(error_of("<f4", shape, 4)?, format!("has shape {name}; {expected}"));
    }
    Ok(())
}

#[test]
fn shapes_of_no_array_for_a_kernel_are_refused_with_all_that_are_expected() {
    let told = row_or_field(&[1, 1, 1, 4], &Cell::new(false)).err().map(|error| error.to_string());
    let expected =
        "has shape (1, 1, 1, 4); expected (n,), (height, width) or (height, width, 1 to 4), none of them 0";
    assert_eq!(told.as_deref(), Some(expected));
}

#[test]
fn the_length_must_be_that_of_the_shape() -> Result<()> {
    assert_eq!(error_of("<f4", &[2, 3], 24)?, "");
    let needs = "shape (2, 3) of <f4 needs 24 bytes after the header";
    assert_eq!(error_of("<f4", &[2, 3], 23)?, format!("is cut short: {needs}, 23 are there"));
    assert_eq!(error_of("<f4", &[2, 3], 25)?, format!("is too long: {needs}, 25 are there"));
    Ok(())
}

#[test]
fn a_pipe_is_measured_when_it_ends() -> Result<()> {
    let whole = file("<u2", false, &[100, 1000], &vec![1; 200_000])?;
    assert_eq!(read_from(&whole[..], None)?, parse(&whole)?);
    let error =
        |bytes: &[u8]| read_from(bytes, None).err().map(|error| format!("{error:#}")).unwrap_or_default();
    let shape = "shape (100, 1000) of <u2";
    assert_eq!(error(&whole[..whole.len() - 1]), format!("{shape}: is cut short: 199999 of 200000 bytes"));
    let longer = [&whole[..], &[0]].concat();
    assert_eq!(error(&longer), format!("is too long: {shape} needs only 200000 bytes after the header"));
    Ok(())
}

#[test]
fn terabytes_are_refused_before_they_are_allocated() -> Result<()> {
    assert!(error_of("<f8", &[1 << 20, 1 << 20], 8)?.starts_with("is cut short: shape (1048576, 1048576)"));
    let claim = file("<f8", false, &[1 << 20, 1 << 20, 4], &[0; 80])?;
    assert!(
        read_from(&claim[..], None)
            .is_err_and(|error| format!("{error:#}").ends_with(": 80 of 35184372088832 bytes"))
    );
    for shape in [&[u64::MAX, u64::MAX][..], &[1 << 32, 1 << 32], &[1 << 31, 1 << 31], &[1 << 59, 1, 4]] {
        let error = error_of("|u1", shape, 8)?;
        assert!(error.starts_with("is too large for this machine's memory: shape ("), "{error}");
    }
    Ok(())
}

#[test]
fn a_file_that_cannot_be_opened_is_named() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let error = |path: &Path| read(path).err().map(|error| error.to_string()).unwrap_or_default();
    let missing = folder.path().join("missing.npy");
    assert_eq!(error(&missing), format!("{}: No such file or directory", missing.display()));
    let reason = "is a directory, where a .npy file was expected";
    assert_eq!(error(folder.path()), format!("{}: {reason}", folder.path().display()));
    let text = folder.path().join("text.npy");
    fs::write(&text, "1 2\n3 4\n")?;
    let reason = r#"is not a .npy file: it begins with "1 2\n3 4\n""#;
    assert_eq!(error(&text), format!("{}: {reason}", text.display()));
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_named() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.npy");
    fs::write(&path, "")?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000))?;
    if File::open(&path).is_err() {
        let error = read(&path).err().map(|error| error.to_string());
        assert_eq!(error, Some(format!("{}: Permission denied", path.display())));
    } // the superuser may read anything
    Ok(())
}

#[test]
fn an_array_that_does_not_add_up_is_not_written() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.npy");
    let wrong = Array { height: 2, width: 2, components: 1, values: vec![0.0; 3] };
    let error = write(&path, &wrong).err().map(|error| error.to_string());
    let reason = "an array of 2 x 2 x 1 cannot be made of 3 values";
    assert_eq!(error, Some(format!("{}: {reason}", path.display())));
    assert!(write(&path, &Array { height: usize::MAX, width: 2, components: 4, values: vec![] }).is_err());
    assert!(!path.exists());
    Ok(())
}

/// Damages valid files at random: each is read or refused in one line, none panics.
#[test]
fn no_damage_makes_it_panic() -> Result<()> {
    let mut seed = 1_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let whole = [
        file("<f4", false, &[2, 3], &[7; 24])?,
        file(">f8", true, &[2, 3, 2], &[9; 96])?,
        file("|u1", true, &[5, 1, 1], &[1; 5])?,
    ];
    let marks = b"\0\xff09(),:'\"{}[]L<>|-\nbiufcSUVO ";
    let mut read = 0;
    for _ in 0..40_000 {
        let mut bytes = whole[random(whole.len())].clone();
        for _ in 0..=random(4) {
            if bytes.is_empty() {
                break;
            }
            let place = random(bytes.len().min(80));
            match random(5) {
                0 => bytes[place] = random(256) as u8,
                1 => bytes[place] = marks[random(marks.len())],
                2 => bytes.insert(place, marks[random(marks.len())]),
                3 => drop(bytes.remove(place)),
                _ => bytes.truncate(place + random(bytes.len() - place) + 1),
            }
        }
        for length in [Some(bytes.len() as u64), None] {
            match read_from(&bytes[..], length) {
                Ok(array) => read += usize::from(array.check().is_ok()),
                Err(error) => assert!(!format!("{error:#}").contains('\n')),
            }
        }
    }
    assert!(read > 1000, "damage to the values alone leaves a valid file, {read}");
    Ok(())
}

#[test]
fn a_matrix_refuses_what_only_64_bits_hold() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.npy");
    // The fourth in the file is row 2 of the first column, or, by columns, of the second.
    for (order, place) in [(false, "(2, 1)"), (true, "(2, 2)")] {
        let mut bytes = Vec::new();
        Header { descr: "<f8".into(), fortran_order: order, shape: vec![2, 3] }.write(&mut bytes)?;
        for value in [1.0, f64::INFINITY, f64::NAN, 1e39, 2.0, -1e300] {
            bytes.extend(f64::to_le_bytes(value));
        }
        fs::write(&path, &bytes)?;
        let error = read_matrix(&path, 6).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(
            error.ends_with(&format!("element {place} is 1e39: 32-bit floats end at 3.4028235e38")),
            "{error}"
        );
        assert!(read(&path)?.values[5].is_infinite());
        assert_eq!(look_at_matrix(&path, 6)?, (2, 3));
        assert!(look_at_matrix(&path, 5).is_err());
    }
    Ok(())
}
