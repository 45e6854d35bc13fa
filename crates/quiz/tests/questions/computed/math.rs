//! Mathematics, mostly by brute force.

use super::choice::value;
use super::numerics::{derivative, integral, permutations, power_modulo, solve, zero};
use super::{Computed, fulfils, number, rounded, text};
use std::collections::BTreeSet;

pub fn computed() -> Vec<Computed> {
    [easy(), medium(), hard()].into_iter().flatten().collect()
}

fn easy() -> Vec<Computed> {
    vec![
        number(0, "3/8 + 1/4", 3.0 / 8.0 + 1.0 / 4.0),
        number(1, "80 euros. Its price is reduced by 35 %", 80.0 - 80.0 * 35.0 / 100.0),
        number(2, "17 rows with 24 seats", (0..17).map(|_| 24).sum::<i32>()),
        fulfils(3, "5x - 7 = 28", |x| 5.0 * value(x) - 7.0 == 28.0),
        number(4, "9 cm long and 4 cm wide", 9 + 4 + 9 + 4),
        number(5, "48 and 67 degrees", 180 - 48 - 67),
        number(6, "greatest common divisor of 84 and 126", (1..=84).rfind(|d| 84 % d == 0 && 126 % d == 0).unwrap()),
        fulfils(7, "is a prime number", |n| is_prime(value(n) as u64)),
        number(8, "mean of the numbers 12, 15, 9, 20 and 14", (12 + 15 + 9 + 20 + 14) / 5),
        number(9, "median of the numbers 3, 11, 6, 8, 20 and 7", median_of_six([3, 11, 6, 8, 20, 7])),
        number(10, "5 red, 3 blue and 4 green", 3.0 / (5.0 + 3.0 + 4.0)),
        number(11, "4 starters and 6 main courses", pairs(1..=4, 1..=6, |_, _| true)),
        number(12, "2^5 * 2^3 / 2^4", (2 * 2 * 2 * 2 * 2) * (2 * 2 * 2) / (2 * 2 * 2 * 2)),
        number(13, "4 people needs 300 g of flour. How much flour do 10", 300.0 / 4.0 * 10.0),
        number(14, "18 - 4 * 3 + 2", 18 - 4 * 3 + 2),
        number(15, "How is 0.045 written", 0.045),
        number(16, "210 km in 2.5 hours", 210.0 / 2.5),
        number(17, "base of 14 cm and a height of 9 cm", integral(|height| 14.0 * (1.0 - height / 9.0), 0.0, 9.0)),
        number(18, "2, 6, 18, 54, ...", 54 * (6 / 2)),
    ]
}

fn medium() -> Vec<Computed> {
    vec![
        number(20, "x^2 - 5x - 14 = 0", (-100..100).rfind(|x| x * x - 5 * x - 14 == 0).unwrap()),
        fulfils(21, "log2(x) + log2(x - 6) = 4", |x| (value(x).log2() + (value(x) - 6.0).log2() - 4.0).abs() < 1e-9),
        number(22, "hypotenuse of length 17 and one leg of length 8", 8.0 * (17_f64 * 17.0 - 8.0 * 8.0).sqrt() / 2.0),
        number(23, "points (-2, 3) and (10, -2)", (10_f64 - -2.0).hypot(-2.0 - 3.0)),
        number(24, "3 of 7 people be seated", triples(7, |a, b, c| a != b && b != c && c != a)),
        number(25, "2 women and 2 men is chosen from 5 women and 4 men", {
            pairs(1..=5, 1..=5, |a, b| a < b) * pairs(1..=4, 1..=4, |a, b| a < b)
        }),
        number(26, "sum of the numbers is 9", f64::from(pairs(1..=6, 1..=6, |a, b| a + b == 9)) / 36.0),
        number(27, "heads with probability 0.6", probability_of_heads(2, 3, 0.6)),
        number(28, "f(x) = x^3 - 4x at x = 2", derivative(|x| x.powi(3) - 4.0 * x, 2.0)),
        number(29, "integral of 2x + 1 from x = 0 to x = 3", integral(|x| 2.0 * x + 1.0, 0.0, 3.0)),
        number(30, "sin(t) = 5/13", (5.0_f64 / 13.0).asin().tan()),
        number(31, "first 20 terms of the arithmetic sequence 7, 11, 15", (0..20).map(|n| 7 + 4 * n).sum::<i32>()),
        number(32, "12 + 4 + 4/3 + 4/9", (0..60).map(|n| 12.0 / 3_f64.powi(n)).sum::<f64>()),
        number(33, "7^10 is divided by 5", power_modulo(7, 10, 5) as f64),
        number(34, "positive divisors does 360 have", (1..=360).filter(|d| 360 % d == 0).count() as f64),
        number(35, "mean 62 and the standard deviation 8", (74.0 - 62.0) / 8.0),
        fulfils(36, "(2, -1, 3) and (4, k, -2)", |k| 2.0 * 4.0 - value(k) + 3.0 * -2.0 == 0.0),
        number(37, "rows (6, 5) and (2, 4)", 6 * 4 - 5 * 2),
        fulfils(39, "f(x) = (2x + 3) / (x - 1)", |x| ((2.0 * value(x) + 3.0) / (value(x) - 1.0) - 7.0).abs() < 1e-9),
    ]
}

fn hard() -> Vec<Computed> {
    vec![
        number(40, "(1 - cos(3x)) / x^2", (1.0 - (3.0 * 5e-4_f64).cos()) / 5e-4_f64.powi(2)),
        number(41, "x e^(2x) from x = 0 to x = 1", integral(|x| x * (2.0 * x).exp(), 0.0, 1.0)),
        number(42, "(n!)^2 / (2n)!", ratio_of_coefficients(1e8)),
        fulfils(43, "eigenvalues of the 2 by 2 matrix with the rows (4, 1) and (2, 3)", |pair| {
            pair.split(" and ").map(value).all(|x| (4.0 - x) * (3.0 - x) - 1.0 * 2.0 == 0.0)
        }),
        number(44, "(1, 2, 0, 1), (2, 4, 1, 3) and (3, 6, 1, 4)", {
            4.0 - rank([[1., 2., 0., 1.], [2., 4., 1., 3.], [3., 6., 1., 4.]]) as f64
        }),
        number(45, "y' + 2y = 6 with y(0) = 0", solve(|[y]| [6.0 - 2.0 * y], [0.0], 2_f64.ln(), 1000)[0]),
        number(46, "element 8 in the additive group of the integers modulo 20", {
            (1..=20).find(|times| 8 * times % 20 == 0).unwrap()
        }),
        number(47, "cyclic group of order 18", (0..18).filter(|element| generates(*element, 18)).count() as f64),
        number(48, "permutations (1 2 3 4) and (2 5)", order_of(|x| four_cycle(transposition(x))) as f64),
        number(49, "remainder 2 on division by 5", (1..1000).find(|n| n % 5 == 2 && n % 7 == 3 && n % 9 == 4).unwrap()),
        rounded(50, "2 % are faulty", 100.0 * (0.02 * 0.95) / (0.02 * 0.95 + 0.98 * 0.10)),
        number(51, "fair four-sided die", rolls_until_all_seen(4)),
        number(52, "uniformly distributed on the interval from 2 to 8", variance_of_uniform(2.0, 8.0)),
        number(53, "3 per hour. What is the probability that no call arrives within a given 40", {
            // Every short moment of the 40 minutes must pass without a call.
            let moments = 1e9_f64;
            (moments * (-3.0 * (40.0 / 60.0) / moments).ln_1p()).exp()
        }),
        rounded(54, "100 independent measurements has the mean 50", normal_quantile(0.975) * 12.0 / 100_f64.sqrt()),
        number(55, "f(x, y) = x^2 y + y^3 at the point (2, 1)", {
            let f = |x: f64, y: f64| x * x * y + y.powi(3);
            derivative(|x| f(x, 1.0), 2.0).hypot(derivative(|y| f(2.0, y), 1.0))
        }),
        number(56, "triangle 0 <= y <= x <= 2", integral(|x| integral(|y| x * y, 0.0, x), 0.0, 2.0)),
        text(57, "(1 + i)^10", power_of_one_plus_i(10)),
        number(59, "Five letters are put into five addressed envelopes", {
            permutations(5).iter().filter(|order| order.iter().enumerate().all(|(i, j)| i != *j)).count() as f64
        }),
    ]
}

fn is_prime(n: u64) -> bool {
    n > 1 && !(2..n).any(|d| n.is_multiple_of(d))
}

fn median_of_six(mut numbers: [i32; 6]) -> f64 {
    numbers.sort_unstable();
    f64::midpoint(numbers[2].into(), numbers[3].into())
}

type Numbers = std::ops::RangeInclusive<i32>;

/// How many pairs there are that fulfil a condition.
fn pairs(first: Numbers, second: Numbers, condition: impl Fn(i32, i32) -> bool) -> i32 {
    let all = first.flat_map(|a| second.clone().map(move |b| (a, b)));
    all.filter(|(a, b)| condition(*a, *b)).count().try_into().unwrap()
}

fn triples(n: i32, condition: impl Fn(i32, i32, i32) -> bool) -> i32 {
    (1..=n).map(|a| pairs(1..=n, 1..=n, |b, c| condition(a, b, c))).sum()
}

/// Adds up the probabilities of all sequences of tosses with that many heads.
fn probability_of_heads(heads: i32, tosses: i32, p: f64) -> f64 {
    let sequences = (0..1 << tosses).filter(|sequence: &i32| sequence.count_ones() == heads.cast_unsigned());
    sequences.map(|_| p.powi(heads) * (1.0 - p).powi(tosses - heads)).sum()
}

/// a(n) / a(n + 1) for the coefficients a(n) = (n!)^2 / (2n)!, which tends to the radius of convergence.
fn ratio_of_coefficients(n: f64) -> f64 {
    (2.0 * n + 1.0) * (2.0 * n + 2.0) / ((n + 1.0) * (n + 1.0))
}

/// By elimination.
fn rank(mut matrix: [[f64; 4]; 3]) -> usize {
    let mut rank = 0;
    for column in 0..4 {
        let Some(pivot) = (rank..3).find(|row| matrix[*row][column] != 0.0) else { continue };
        matrix.swap(rank, pivot);
        let leading = matrix[rank];
        for row in &mut matrix[rank + 1..] {
            let factor = row[column] / leading[column];
            for (entry, above) in row.iter_mut().zip(leading) {
                *entry -= factor * above;
            }
        }
        rank += 1;
        if rank == 3 {
            break;
        }
    }
    rank
}

/// Whether the multiples of an element of the integers modulo `order` are all of them.
fn generates(element: u32, order: u32) -> bool {
    (0..order).map(|times| element * times % order).collect::<BTreeSet<_>>().len() == order as usize
}

fn four_cycle(x: usize) -> usize {
    if x <= 4 { x % 4 + 1 } else { x }
}

fn transposition(x: usize) -> usize {
    match x {
        2 => 5,
        5 => 2,
        other => other,
    }
}

/// How often a permutation of 1 to 5 must be applied until all are back in their places.
fn order_of(permutation: impl Fn(usize) -> usize) -> usize {
    let mut places = [1, 2, 3, 4, 5];
    let mut times = 0;
    loop {
        places = places.map(&permutation);
        times += 1;
        if places == [1, 2, 3, 4, 5] {
            return times;
        }
    }
}

/// Adds up the probabilities that after so many rolls some face has not been seen yet.
fn rolls_until_all_seen(faces: usize) -> f64 {
    let mut seen = vec![0.0; faces + 1];
    seen[0] = 1.0;
    let mut expected = 0.0;
    for _ in 0..1000 {
        expected += 1.0 - seen[faces];
        for k in (1..=faces).rev() {
            let old_face = k as f64 / faces as f64;
            let new_face = (faces - k + 1) as f64 / faces as f64;
            seen[k] = seen[k] * old_face + seen[k - 1] * new_face;
        }
        seen[0] = 0.0;
    }
    expected
}

fn variance_of_uniform(from: f64, to: f64) -> f64 {
    let mean = integral(|x| x / (to - from), from, to);
    integral(|x| (x - mean).powi(2) / (to - from), from, to)
}

/// Where the standard normal distribution reaches a probability.
fn normal_quantile(probability: f64) -> f64 {
    let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    zero(|z| 0.5 + integral(density, 0.0, z) - probability, 0.0, 10.0)
}

fn power_of_one_plus_i(exponent: u32) -> String {
    match (0..exponent).fold((1, 0), |(real, imaginary), _| (real - imaginary, real + imaginary)) {
        (real, 0) => format!("{real}"),
        (0, imaginary) => format!("{imaginary}i"),
        (real, imaginary) => format!("{real} + {imaginary}i"),
    }
}
