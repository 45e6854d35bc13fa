//! Physics, chemistry, biology, and the numbers of earth and sky.

use super::choice::value;
use super::numerics::{solve, zero};
use super::{Computed, fulfils, number, rounded, text};

pub fn computed() -> Vec<Computed> {
    [easy(), medium(), hard()].into_iter().flatten().collect()
}

fn easy() -> Vec<Computed> {
    vec![
        number(0, "18 km in 45 minutes", 18.0 / (45.0 / 60.0)),
        number(2, "mass of 5 kg where g = 9.8", 5.0 * 9.8),
        number(6, "11 protons, 12 neutrons", 11 + 12),
        number(7, "C3H8O", ['C', 'H', 'O'].map(|element| atoms("C3H8O", element)).iter().sum::<u32>()),
    ]
}

fn medium() -> Vec<Computed> {
    vec![
        number(20, "from rest for 3 s, with g = 9.8", solve(|[_, speed]| [*speed, 9.8], [0.0, 0.0], 3.0, 100)[0]),
        number(21, "1500 kg at a speed of 20 m/s", 1500.0 * 20.0 * 20.0 / 2.0 / 1000.0),
        number(22, "2 kg moving at 6 m/s hits a cart of 4 kg", 2.0 * 6.0 / (2.0 + 4.0)),
        number(23, "500 Hz travels through air at 340 m/s", 340.0 / 500.0),
        number(24, "30 cm in front of a thin converging lens", 1.0 / (1.0 / 10.0 - 1.0 / 30.0)),
        number(25, "half-life of 6 hours. How much of 80 g", 80.0 * 0.5_f64.powf(24.0 / 6.0)),
        number(26, "C3H8 + x O2 -> 3 CO2 + 4 H2O", (3 * atoms("CO2", 'O') + 4 * atoms("H2O", 'O')) / atoms("O2", 'O')),
        number(27, "90 g of water", 90.0 / 18.0),
        number(28, "50 mL of a solution with 2.0 mol/L", 50.0 * 2.0 / 250.0),
        number(31, "black rabbits that both carry one allele for white", {
            let (mother, father) = (["black", "white"], ["black", "white"]);
            let young = mother.iter().flat_map(|one| father.iter().map(move |other| [one, other]));
            young.filter(|alleles| alleles.iter().all(|allele| **allele == "white")).count() as f64 / 4.0
        }),
        text(32, "reads ATGCCAT", "ATGCCAT".chars().map(opposite_base).collect::<String>()),
        number(35, "diploid and have 16 chromosomes", 16 / 2),
        number(38, "four times the radius of the Earth's orbit", 4_f64.powi(3).sqrt()),
    ]
}

fn hard() -> Vec<Computed> {
    vec![
        number(40, "3.6 eV falls on a metal with a work function of 2.3", 3.6 - 2.3),
        number(41, "0.6 times the speed of light", 10.0 / (1.0_f64 - 0.6 * 0.6).sqrt()),
        rounded(42, "One mole of an ideal gas doubles its volume", 8.31 * 2_f64.ln()),
        number(43, "one-dimensional box with infinitely high walls", 3 * 3 - 2 * 2),
        number(44, "halfway between centre and surface", field_in_charged_sphere(0.5) / field_in_charged_sphere(1.0)),
        fulfils(45, "solid cylinder starts from rest", |speed| {
            let in_units_of_g_h = speed.replace(" g h", "").replace("g h", "1");
            (value(&in_units_of_g_h) - speed_of_rolling(0.5)).abs() < 1e-9
        }),
        rounded(46, "from n = 3 to n = 2", 13.6 / 4.0 - 13.6 / 9.0),
        rounded(47, "0.010 mol/L of a weak monoprotic acid", ph_of_weak_acid(0.010, 1.0e-6)),
        number(48, "+0.80 V for Ag+/Ag and -0.25 V for Ni2+/Ni", 0.80 - -0.25),
        rounded(49, "rate constant 0.0231 per minute", zero(|t| 0.5 - (-0.0231 * t).exp(), 0.0, 1000.0)),
        number(51, "enthalpy change of +60 kJ/mol", zero(|t| t * 150.0 - 60_000.0, 0.0, 1e5)),
        number(53, "4 % of the individuals show a recessive trait", {
            let recessive = 0.04_f64.sqrt();
            100.0 * 2.0 * recessive * (1.0 - recessive)
        }),
        number(54, "Km = 2 mmol/L and a maximum rate of 90", 90.0 * 4.0 / (2.0 + 4.0)),
        number(56, "412 and 388 offspring", 100.0 * f64::from(103 + 97) / f64::from(412 + 388 + 103 + 97)),
        number(58, "33 km thick with a density of 2700", 33.0 - 33.0 * 2700.0 / 3300.0),
        number(59, "three times the radius and twice the surface temperature", 3_f64.powi(2) * 2_f64.powi(4)),
    ]
}

/// How many atoms of an element are in a molecule, as its formula says.
fn atoms(formula: &str, element: char) -> u32 {
    let behind = formula.split_once(element).unwrap().1;
    let digits = behind.split(|c: char| !c.is_ascii_digit()).next().unwrap();
    if digits.is_empty() { 1 } else { digits.parse().unwrap() }
}

fn opposite_base(base: char) -> char {
    match base {
        'A' => 'T',
        'T' => 'A',
        'G' => 'C',
        'C' => 'G',
        other => panic!("{other} is no base"),
    }
}

/// At a distance from the centre in units of the radius: the charge further in, over the square of the distance; constants left out.
fn field_in_charged_sphere(distance: f64) -> f64 {
    distance.powi(3) / distance.powi(2)
}

/// In units of the root of g h, for a body whose moment of inertia is `inertia` times its mass and the square of its radius: both kinds of
/// kinetic energy, (1 + inertia) v^2 / 2, come from g h.
fn speed_of_rolling(inertia: f64) -> f64 {
    (2.0 / (1.0 + inertia)).sqrt()
}

fn ph_of_weak_acid(concentration: f64, constant: f64) -> f64 {
    let hydrogen = zero(|h| h * h / (concentration - h) - constant, 0.0, concentration * 0.999);
    -hydrogen.log10()
}
