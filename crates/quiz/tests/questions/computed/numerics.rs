//! Calculus by numbers, so that no answer is checked with the rule that produced it.

/// Simpson's rule.
pub fn integral(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const STEPS: usize = 1000;
    let width = (to - from) / STEPS as f64;
    let weight = |i: usize| match i {
        0 | STEPS => 1.0,
        odd if odd % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=STEPS).map(|i| weight(i) * f(from + i as f64 * width)).sum::<f64>() * width / 3.0
}

pub fn derivative(f: impl Fn(f64) -> f64, at: f64) -> f64 {
    const STEP: f64 = 1e-4;
    (f(at + STEP) - f(at - STEP)) / (2.0 * STEP)
}

/// The state at `end` of a system of differential equations that starts at time 0, by the classical method of Runge and Kutta.
pub fn solve<const N: usize>(
    slope: impl Fn(&[f64; N]) -> [f64; N],
    start: [f64; N],
    end: f64,
    steps: usize,
) -> [f64; N] {
    let h = end / steps as f64;
    let along =
        |from: &[f64; N], slope: &[f64; N], by: f64| -> [f64; N] { std::array::from_fn(|i| from[i] + by * slope[i]) };
    let mut y = start;
    for _ in 0..steps {
        let k1 = slope(&y);
        let k2 = slope(&along(&y, &k1, h / 2.0));
        let k3 = slope(&along(&y, &k2, h / 2.0));
        let k4 = slope(&along(&y, &k3, h));
        let mean = std::array::from_fn(|i| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0);
        y = along(&y, &mean, h);
    }
    y
}

/// Halves an interval around the only zero of `f` in it.
pub fn zero(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let rising = f(high) > 0.0;
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if (f(middle) > 0.0) == rising {
            high = middle;
        } else {
            low = middle;
        }
    }
    f64::midpoint(low, high)
}

pub fn power_modulo(base: u64, exponent: u64, modulus: u64) -> u64 {
    (0..exponent).fold(1, |power, _| power * base % modulus)
}

/// All orders of the numbers 0 to n - 1.
pub fn permutations(n: usize) -> Vec<Vec<usize>> {
    let Some(last) = n.checked_sub(1) else { return vec![vec![]] };
    let shorter = permutations(last);
    let with_last_at = |place: usize| {
        shorter.iter().map(move |order| {
            let mut order = order.clone();
            order.insert(place, last);
            order
        })
    };
    (0..n).flat_map(with_last_at).collect()
}
