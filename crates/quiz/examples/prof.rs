use benchwright_quiz::extract;
fn main(){ let prose = "The question asks which city is the capital of a country. To find it, we look at the options one by one and compare what we know about each of them. The first option is well known for its history, and the second one for its food. However, only one of these has a parliament. ".repeat(5);
 let c=["Paris","Rome","Berlin","Madrid"].map(str::to_owned);
 for _ in 0..300000 { std::hint::black_box(extract(&prose,&c)); } }
