//! Computer science: whatever a question describes is done.

use super::choice::value;
use super::machines::{
    BinarySearchTree, hash_slot, in_order, least_recently_used_faults, minimum_spanning_tree, one_bubble_pass,
    probes_of_binary_search, shortest_path, smallest_automaton_for_multiples,
};
use super::numerics::{derivative, power_modulo};
use super::{Computed, fulfils, number, rounded, text};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub fn computed() -> Vec<Computed> {
    [easy(), medium(), hard()].into_iter().flatten().collect()
}

fn easy() -> Vec<Computed> {
    vec![
        number(0, "binary number 101101", 0b10_1101),
        number(1, "group of 6 bits", (0..6).fold(1, |values, _| values * 2)),
        text(2, "decimal number 245", format!("{:X}", 245)),
        number(3, "8, 3, 5 and 1 are pushed", second_pop(vec![8, 3, 5, 1])),
        text(4, "Ana, Ben, Caro and Dev join", format!("{}'s", next_in_printer_queue())),
        fulfils(5, "p AND (NOT q)", |values| {
            let (p, q) = (values.starts_with("p true"), values.ends_with("q true"));
            p && !q
        }),
        number(6, "each whole number i from 1 to 6", (1..=6).sum::<i32>()),
        number(12, "list of 1000 names", probes_of_binary_search(1000)),
        number(13, "photo takes 4 megabytes", 32 * 1000 / 4),
        text(16, "if t > 30 print", feeling(30)),
        number(17, "16 megabits per second. How long does a file of 10 megabytes", 10.0 * 8.0 / 16.0),
        text(18, "The list 5, 2, 8, 1", one_bubble_pass([5, 2, 8, 1]).map(|n| n.to_string()).join(", ")),
    ]
}

fn medium() -> Vec<Computed> {
    vec![
        text(20, "grows most slowly", slowest_growth()),
        text(21, "hash function k mod 7", format!("Slot {}", hash_slot(7, &[10, 17, 24, 3], 3))),
        number(22, "50, 30, 70, 60, 80 and 65", BinarySearchTree::of(&[50, 30, 70, 60, 80, 65]).depth(65)),
        text(23, "root P has the left child Q", in_order("PQRST-U").join(" ")),
        number(24, "192.168.40.0/27", 2_i32.pow(32 - 27) - 2),
        number(26, "HAVING SUM(amount) > 10", regions_above(10)),
        number(27, "customers LEFT JOIN orders", rows_of_left_join(8, 20, 3)),
        number(29, "virtual address 13000", 13_000 % 4096),
        number(32, "two's complement number 11110100", i32::from(0b1111_0100_u8.cast_signed())),
        number(33, "95 % of its memory accesses", 0.95 * 2.0 + 0.05 * 42.0),
        number(34, "f(n) = 3 * f(n - 1) - 1", (0..4).fold(1, |f, _| 3 * f - 1)),
        fulfils(36, "a(bc)*d", |word| {
            let rest = word.strip_prefix('a').map(|rest| rest.trim_start_matches("bc"));
            rest == Some("d")
        }),
        fulfils(37, "NOT (p AND q)", |expression| {
            let truth_values = [(true, true), (true, false), (false, true), (false, false)];
            truth_values.iter().all(|(p, q)| evaluated(expression, *p, *q) != (*p && *q))
        }),
        number(38, "marks 40 e-mails as spam; 30 of these", 30.0 / 50.0 * 100.0),
        number(39, "P-Q with weight 4", {
            let edges = [('P', 'Q', 4), ('P', 'R', 1), ('R', 'Q', 2), ('Q', 'S', 5), ('R', 'S', 8)];
            shortest_path(&edges, 'P', 'S')
        }),
    ]
}

fn hard() -> Vec<Computed> {
    vec![
        fulfils(40, "T(n) = 4 T(n/2) + n^2", |bound| {
            // In the right order of growth, the quotient hardly moves from n = 2^200 to n = 2^400.
            let change = (quotient_to(bound, 400) - quotient_to(bound, 200)).exp2();
            (0.9..1.1).contains(&change)
        }),
        number(42, "1-2: 3, 1-3: 6, 2-3: 2", {
            let edges = [(1, 2, 3), (1, 3, 6), (2, 3, 2), (2, 4, 7), (3, 4, 4), (3, 5, 9), (4, 5, 5)];
            minimum_spanning_tree(&edges)
        }),
        number(43, "pages 1, 2, 3, 1, 4, 2, 5, 1", least_recently_used_faults(3, &[1, 2, 3, 1, 4, 2, 5, 1])),
        number(44, "window of 64 000 bytes", 64_000.0 * 8.0 / 0.080 / 1e6),
        fulfils(46, "P -> Q, {Q, S} -> T and T -> U", |attributes| {
            let set: BTreeSet<char> = attributes.chars().filter(char::is_ascii_uppercase).collect();
            let without = |left_out: &char| set.iter().copied().filter(|other| other != left_out).collect();
            is_superkey(set.clone()) && !set.iter().any(|attribute| is_superkey(without(attribute)))
        }),
        number(48, "semaphore starts at 2", still_blocked(2, 9, 4)),
        rounded(49, "One fifth of a program's running time", 1.0 / (0.2 + 0.8 / 8.0)),
        number(50, "16 KiB of data in lines of 64 bytes", 32 - (64_u32.ilog2() + (16 * 1024 / 64_u32).ilog2())),
        number(53, "accepts exactly those divisible by 6", smallest_automaton_for_multiples(6)),
        fulfils(56, "primes 5 and 11 with the public exponent 3", |d| {
            3.0 * value(d) % ((5.0 - 1.0) * (11.0 - 1.0)) == 1.0
        }),
        number(57, "prime 19 and the generator 2", power_modulo(power_modulo(2, 5, 19), 7, 19) as f64),
        number(58, "logistic unit with input x = 2", {
            let weight = (0.8_f64 / 0.2).ln() / 2.0;
            derivative(|w| -(1.0 / (1.0 + (-2.0 * w).exp())).ln(), weight)
        }),
    ]
}

fn second_pop(mut stack: Vec<i32>) -> i32 {
    stack.pop();
    stack.pop().unwrap()
}

fn next_in_printer_queue() -> &'static str {
    let mut queue = VecDeque::from(["Ana", "Ben", "Caro", "Dev"]);
    queue.drain(..2);
    queue.push_back("Eli");
    queue.pop_front().unwrap()
}

fn feeling(t: i32) -> &'static str {
    if t > 30 {
        "hot"
    } else if t > 20 {
        "warm"
    } else {
        "cool"
    }
}

/// For n = 2^k with a large k, by the logarithms of the numbers of steps.
fn slowest_growth() -> &'static str {
    let k = 1000_f64;
    let logarithms = [("n log n", k + k.log2()), ("n^2", 2.0 * k), ("2^n", k.exp2()), ("n^1.5", 1.5 * k)];
    logarithms.into_iter().min_by(|one, other| one.1.total_cmp(&other.1)).unwrap().0
}

fn regions_above(least: i32) -> i32 {
    let mut sums = BTreeMap::new();
    for (region, amount) in [("North", 5), ("South", 9), ("North", 7), ("South", 1), ("West", 12)] {
        *sums.entry(region).or_insert(0) += amount;
    }
    sums.values().filter(|sum| **sum > least).count().try_into().unwrap()
}

/// A customer without orders still gives a row.
fn rows_of_left_join(customers: usize, orders: usize, without_order: usize) -> i32 {
    let buyers = customers - without_order;
    let orders_of = |customer: usize| (0..orders).filter(|order| order % buyers == customer).count();
    (0..customers).map(|customer| orders_of(customer).max(1)).sum::<usize>().try_into().unwrap()
}

/// `(NOT p) OR q` and the like: two sides with one word between them.
fn evaluated(expression: &str, p: bool, q: bool) -> bool {
    let side = |text: &str| match text {
        "p" => p,
        "q" => q,
        "(NOT p)" => !p,
        "(NOT q)" => !q,
        other => panic!("{other}"),
    };
    match (expression.split_once(" OR "), expression.split_once(" AND ")) {
        (Some((left, right)), _) => side(left) || side(right),
        (_, Some((left, right))) => side(left) && side(right),
        _ => panic!("{expression}"),
    }
}

/// The binary logarithm of T(2^k) over the bound at 2^k, for T(n) = 4 T(n/2) + n^2 and T(1) = 1.
fn quotient_to(bound: &str, k: u32) -> f64 {
    let steps = (1..=k).fold(1.0, |t, i| 4.0 * t + 4_f64.powf(i.into())).log2();
    let k = f64::from(k);
    steps
        - match bound {
            "Theta(n^2 log n)" => 2.0 * k + k.log2(),
            "Theta(n^2)" => 2.0 * k,
            "Theta(n^3)" => 3.0 * k,
            "Theta(n log n)" => k + k.log2(),
            other => panic!("{other}"),
        }
}

/// Whether P -> Q, QS -> T and T -> U lead from these attributes to all five.
fn is_superkey(mut known: BTreeSet<char>) -> bool {
    for _ in 0..3 {
        for (from, to) in [("P", 'Q'), ("QS", 'T'), ("T", 'U')] {
            if from.chars().all(|attribute| known.contains(&attribute)) {
                known.insert(to);
            }
        }
    }
    known.len() == 5
}

/// Each wait takes one or blocks; each signal wakes one of the blocked.
fn still_blocked(start: u32, waits: u32, signals: u32) -> u32 {
    waits.saturating_sub(start).saturating_sub(signals)
}
