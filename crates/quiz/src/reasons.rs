//! What each reason means, for people.

use crate::verdict::ReasonCode;

impl ReasonCode {
    /// One sentence.
    pub fn text(self) -> &'static str {
        match self {
            Self::UnknownFormat => "It is of a format that this site does not read.",
            Self::BadText => "A text is longer than it may be, or not of its form.",
            Self::OutputTooLong => "An output is longer than 16 kB, or all of them than 2 MB.",
            Self::NotTheTicket => "It is not what the ticket was issued for.",
            Self::WrongQuestions => "These are not the questions of the ticket in their order.",
            Self::WrongPrompt => "A prompt is not the one that this protocol makes.",
            Self::WrongTokens => {
                "It has more tokens than the protocol or its prompts allow, or an end that does not fit them."
            }
            Self::WrongTimes => "Its times cannot be.",
            Self::UnlikelyTokens => "Its texts and its tokens do not go together.",
            Self::UnlikelyTimes => {
                "It is faster than the claimed backend can be, or took the same time for every question."
            }
            Self::ReadingMismatch => "Whoever sent it read other letters out of the same outputs by the same rules.",
            Self::SelfTestFailed => "The device failed its self-test: it does not compute what it should.",
            Self::UnlikeOtherRuns => "It is unlike other runs of this model.",
            Self::UnlikeReference => {
                "It answers otherwise than the reference runs of this model, on questions where those agree."
            }
            Self::Outlier => {
                "It is better than other runs of this model make likely. It counts as soon as others agree with it."
            }
            Self::Duplicate => "It has exactly the outputs of another run, with which it is merged.",
            Self::ChosenSeed => "Its seed was chosen and not drawn, so its questions are no random ones.",
            Self::NoSelfTest => {
                "It ran in a browser without the self-test, so nobody knows whether the device computes."
            }
        }
    }
}
