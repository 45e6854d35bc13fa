use benchwright_quiz::extract;
use std::time::Instant;
fn main() {
    let golden = include_str!("../tests/golden/extraction.jsonl");
    let mut outs: Vec<(String, [String; 4])> = vec![];
    for line in golden.lines() {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        let c = v
            .get("choices")
            .map(|c| serde_json::from_value(c.clone()).unwrap())
            .unwrap_or_else(|| ["Paris", "Rome", "B cells", "14"].map(str::to_owned));
        outs.push((v["output"].as_str().unwrap().to_owned(), c));
    }
    let prose = "The question asks which city is the capital of a country. To find it, we look at the options one by one and compare what we know about each of them. The first option is well known for its history, and the second one for its food. However, only one of these has a parliament. ";
    let typical: Vec<(String, [String; 4])> = vec![
        (format!("A\n\n{}", prose.repeat(5)), ["Paris", "Rome", "Berlin", "Madrid"].map(str::to_owned)),
        (format!("{}\n\nANSWER: C", prose.repeat(2)), ["Paris", "Rome", "Berlin", "Madrid"].map(str::to_owned)),
        (format!("{} The answer is B.", prose.repeat(3)), ["Paris", "Rome", "Berlin", "Madrid"].map(str::to_owned)),
        (format!("{} It is Berlin.", prose.repeat(3)), ["Paris", "Rome", "Berlin", "Madrid"].map(str::to_owned)),
        (prose.repeat(5), ["Paris", "Rome", "Berlin", "Madrid"].map(str::to_owned)),
        (prose.repeat(5).replace("country", "coûntry’s"), ["Paris", "Rome", "Berlin", "Madrid"].map(str::to_owned)),
    ];
    let time = |name: &str, set: &[(String, [String; 4])]| {
        let bytes: usize = set.iter().map(|o| o.0.len()).sum();
        let mut best = f64::MAX;
        for _ in 0..400 {
            let n = 30_000 / bytes + 1;
            let t = Instant::now();
            for _ in 0..n {
                for (o, c) in set {
                    std::hint::black_box(extract(o, c));
                }
            }
            best = best.min(t.elapsed().as_secs_f64() / n as f64);
        }
        println!(
            "{name}: {bytes} B, {:.1} MB/s, {:.0} ns each",
            bytes as f64 / best / 1e6,
            best * 1e9 / set.len() as f64
        );
    };
    time("golden", &outs);
    for t in &typical {
        let e = extract(&t.0, &t.1);
        time(&format!("tier {} ", e.tier), std::slice::from_ref(t));
    }
    for (name, unit) in [
        ("A ", "A "),
        ("answer: ", "ANSWER: B or "),
        ("the answer is ", "the answer is A "),
        ("**", "**"),
        ("not", "not "),
        ("\\n", "\n"),
        ("A\\n", "A\n"),
        ("<", "<"),
        ("<think>", "<think>"),
        ("<|x|>", "<|x|>"),
        ("é", "é"),
        ("答案", "答案"),
        ("Ⅷ", "Ⅷ"),
        ("x", "x"),
        ("Rome", "Rome not "),
        ("(", "("),
        ("\\boxed{", "\\boxed{"),
        ("I choose ", "I choose "),
        ("A. x\\nB.", "A. x\nB. y\nC. z\n"),
        ("-5", " -5"),
    ] {
        let c = ["Paris", "Rome", "Berlin", "Rome Rome Rome Rome not"].map(str::to_owned);
        let mk = |n: usize| unit.repeat(n / unit.len() + 1);
        let (small, large) = (mk(50_000), mk(1_000_000));
        let t = |s: &str| {
            (0..40)
                .map(|_| {
                    let t = Instant::now();
                    std::hint::black_box(extract(s, &c));
                    t.elapsed().as_secs_f64()
                })
                .fold(f64::MAX, f64::min)
        };
        let (a, b) = (t(&small), t(&large));
        println!("hostile {name}: 50 KB {:.2} ms, 1 MB {:.2} ms, ratio {:.1}", a * 1e3, b * 1e3, b / a);
    }
}
