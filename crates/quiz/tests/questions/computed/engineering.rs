//! Engineering: the formulas of the trade, and simulation where it is as short.

use super::choice::value;
use super::numerics::{integral, solve};
use super::{Computed, fulfils, number, rounded, text};
use std::f64::consts::{PI, TAU};

const KILO: f64 = 1e3;
const MEGA: f64 = 1e6;
const GIGA: f64 = 1e9;
const MILLI: f64 = 1e-3;
const MICRO: f64 = 1e-6;

pub fn computed() -> Vec<Computed> {
    [easy(), medium(), hard()].into_iter().flatten().collect()
}

fn easy() -> Vec<Computed> {
    vec![
        number(0, "12 V draws a current of 0.5", 12.0 / 0.5),
        number(1, "230 V draws 4 amperes", 230 * 4),
        number(2, "60 W lamp is on for 5 hours on each of 30 days", 60.0 * 5.0 * 30.0 / KILO),
        number(3, "120, 330 and 50 ohms are connected in series", 120 + 330 + 50),
        number(4, "30 N presses down 2 m to the left", 30.0 * 2.0 / 1.5),
        number(5, "12 teeth turns at 90 revolutions", 90 * 12 / 36),
        number(9, "54 km/h in metres per second", 54.0 * KILO / 3600.0),
        number(11, "500 W and delivers 400 W", 400.0 / 500.0 * 100.0),
        fulfils(15, "20.0 mm with a tolerance of plus or minus 0.2", |measured| (value(measured) - 20.0).abs() <= 0.2),
        number(17, "every 4 milliseconds", 1.0 / (4.0 * MILLI)),
        number(19, "600 g and a volume of 750 cm^3", 600.0 / 750.0),
    ]
}

fn medium() -> Vec<Computed> {
    vec![
        number(20, "60 ohms and 30 ohms are connected in parallel to a 12 V", 12.0 / 60.0 + 12.0 / 30.0),
        number(21, "3 kilohms and one of 2 kilohms are in series across 10 V", 10.0 / (3.0 + 2.0) * 2.0),
        number(22, "47 kilohms in series with a capacitor of 100 microfarads", 47.0 * KILO * 100.0 * MICRO),
        rounded(24, "peak value of 170 V", root_mean_square(|t| 170.0 * (TAU * t).sin())),
        number(25, "900 N at 2 m from the left end", 900.0 * (6.0 - 2.0) / 6.0),
        number(26, "50 mm^2 carries a tensile force of 6 kN", 6.0 * KILO / (50.0 * MILLI * MILLI) / MEGA),
        number(27, "length 2 m with a modulus of elasticity of 200 GPa", 100.0 * MEGA / (200.0 * GIGA) * 2.0 / MILLI),
        number(30, "3 kg of water from 20 to 70", 3.0 * 4.2 * (70.0 - 20.0)),
        number(31, "300 K and an absolute pressure of 2.0 bar", 2.0 * 450.0 / 300.0),
        number(32, "2 m/s through a pipe of 60 mm diameter that narrows to 30 mm", 2.0 * disc(60.0) / disc(30.0)),
        number(33, "area of 5 cm^2, the large one 80 cm^2", 150.0 / 5.0 * 80.0),
        rounded(34, "12 m below the surface of a lake", 1000.0 * 9.81 * 12.0 / KILO),
        number(36, "no frequencies above 3.4 kHz", 2.0 * 3.4),
        number(37, "1000 times the power", 10.0 * 1000_f64.log10()),
        number(38, "Each works with probability 0.9", 0.9 * 0.9 * 0.9),
        rounded(39, "80 mm diameter turns in a lathe at 500", PI * 80.0 * MILLI * 500.0),
    ]
}

fn hard() -> Vec<Computed> {
    vec![
        number(40, "resistance of 30 ohms, an inductive reactance of 70 ohms", 30_f64.hypot(70.0 - 30.0)),
        rounded(41, "LC circuit with 10 mH and 1 microfarad", 1.0 / (TAU * (10.0 * MILLI * MICRO).sqrt()) / KILO),
        number(42, "8 kW of active power at a lagging power factor of 0.8", 8.0 * 0.8_f64.acos().tan()),
        number(43, "input resistor of 2 kilohms and a feedback resistor of 47", -47.0 / 2.0 * 0.1),
        rounded(44, "unit weight of 19 kN/m^3", 19.0 * 5.0 - 9.81 * 5.0),
        number(45, "60 mm wide and 100 mm high", 60.0 * 100_f64.powi(3) / 12.0),
        number(46, "span of 6 m carries a uniform load of 4 kN/m", largest_moment(4.0, 6.0)),
        number(47, "cantilever carries a force", tip_deflection(2.0) / tip_deflection(1.0)),
        number(48, "80 MPa and 20 MPa", largest_normal_stress(80.0, 20.0, 40.0)),
        number(50, "10.02 mm and a standard deviation of 0.01", (10.05_f64 - 10.02).min(10.02 - 9.95) / (3.0 * 0.01)),
        number(51, "500 kJ of heat at 750 K", 500.0 * (1.0 - 300.0 / 750.0)),
        rounded(52, "from 300 K to one eighth of its volume", adiabatic_temperature(300.0, 8.0, 1.4)),
        fulfils(53, "0.5 m/s through a pipe of 20 mm", |choice| {
            let reynolds: f64 = 0.5 * 20.0 * MILLI / 1.0e-6;
            let kind = if reynolds < 2300.0 { "laminar" } else { "turbulent" };
            (value(choice) - reynolds).abs() < 1.0 && choice.ends_with(kind)
        }),
        number(54, "inner diameter is halved", laminar_flow(0.5) / laminar_flow(1.0)),
        fulfils(55, "K / (s (s + 4))", |gain| 4.0 * 4.0 - 4.0 * value(gain) == 0.0),
        fulfils(56, "s^3 + 2 s^2 + 3 s + K", |range| {
            (-4..24)
                .map(|i| 0.25 + f64::from(i) / 2.0)
                .all(|gain| lies_in(gain, range) == third_order_loop_settles(gain))
        }),
        text(57, "{1, 2, 1} and {1, -1}", written_as_set(&convolution(&[1, 2, 1], &[1, -1]))),
        number(58, "8 kHz is analysed with a discrete Fourier transform of 512", 8.0 * KILO / 512.0),
        rounded(59, "2 failures per million hours", (-2.0 / MEGA * 100_000.0_f64).exp()),
    ]
}

fn root_mean_square(voltage: impl Fn(f64) -> f64) -> f64 {
    const SAMPLES: u32 = 1000;
    let squares = (0..SAMPLES).map(|i| voltage(f64::from(i) / f64::from(SAMPLES)).powi(2));
    (squares.sum::<f64>() / f64::from(SAMPLES)).sqrt()
}

fn disc(diameter: f64) -> f64 {
    PI * diameter * diameter / 4.0
}

/// The largest of the bending moments along a simply supported beam.
fn largest_moment(load: f64, span: f64) -> f64 {
    let moment = |x: f64| load * span / 2.0 * x - load * x * x / 2.0;
    (0..=1000).map(|i| moment(span * f64::from(i) / 1000.0)).fold(0.0, f64::max)
}

/// Of a cantilever with a force of 1 at its end and a stiffness of 1: the curvature, which is the bending moment, integrated twice.
fn tip_deflection(length: f64) -> f64 {
    let [_, _, deflection] = solve(|[x, slope, _]| [1.0, length - x, *slope], [0.0; 3], length, 1000);
    deflection
}

/// The largest of the normal stresses on all planes through the point.
fn largest_normal_stress(x: f64, y: f64, shear: f64) -> f64 {
    let on_plane = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        x * cos * cos + y * sin * sin + 2.0 * shear * sin * cos
    };
    (0..100_000).map(|i| on_plane(PI * f64::from(i) / 100_000.0)).fold(f64::MIN, f64::max)
}

/// p V = T and p V^ratio = constant give T V^(ratio - 1) = constant.
fn adiabatic_temperature(start: f64, compression: f64, ratio: f64) -> f64 {
    start * compression.powf(ratio - 1.0)
}

/// The parabolic profile of a laminar flow, added up over the cross-section; constants left out.
fn laminar_flow(diameter: f64) -> f64 {
    let radius = diameter / 2.0;
    integral(|r| (radius * radius - r * r) * TAU * r, 0.0, radius)
}

/// Lets the loop run from a disturbance and sees whether it comes to rest.
fn third_order_loop_settles(gain: f64) -> bool {
    let slope = |[x, v, a]: &[f64; 3]| [*v, *a, -2.0 * a - 3.0 * v - gain * x];
    let [end, ..] = solve(slope, [1.0, 0.0, 0.0], 600.0, 20_000);
    end.abs() < 0.01
}

/// Whether a gain lies in a range such as `0 < K < 6` or `K > 6`.
fn lies_in(gain: f64, range: &str) -> bool {
    match range.split_once(" < K < ") {
        Some((low, high)) => value(low) < gain && gain < value(high),
        None => gain > value(range.strip_prefix("K > ").unwrap()),
    }
}

fn convolution(x: &[i32], h: &[i32]) -> Vec<i32> {
    let mut sum = vec![0; x.len() + h.len() - 1];
    for (i, a) in x.iter().enumerate() {
        for (j, b) in h.iter().enumerate() {
            sum[i + j] += a * b;
        }
    }
    sum
}

fn written_as_set(numbers: &[i32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    format!("{{{}}}", numbers.join(", "))
}
