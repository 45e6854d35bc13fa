//! Tickets: what a run is begun with. A ticket says which questions in which order, for which model, since when; the site signs it and keeps
//! nothing. It is good for one shared run, because the run's id comes from it.

use crate::signed::{hex, mac, same};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use benchwright_quiz::{Protocol, QuickDraw, Selection};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::time::Duration;

/// How long a ticket is good for. A large set on a slow machine takes hours, and a visitor may go on the next morning.
pub const LIFETIME: Duration = Duration::from_hours(24);

const FORMAT: u32 = 1;
const ID_BYTES: usize = 16;
/// Nothing longer is looked at: a ticket of ours is shorter.
const LONGEST: usize = 2000;

/// What a ticket says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    format: u32,
    /// Random; two tickets are never the same.
    id: String,
    /// When it was issued, in seconds since 1970.
    pub issued: i64,
    set: Option<String>,
    quick: Option<QuickDraw>,
    /// Whether the visitor chose the seed of a quick run.
    pub chosen_seed: bool,
    /// Id of the model in the catalogue, or the name of a visitor's own.
    pub model: String,
    /// The protocol.
    pub protocol: Protocol,
}

/// Why a ticket is no good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadTicket {
    /// It is not one of ours, or was changed.
    Forged,
    /// It was good once.
    Expired,
}

impl Ticket {
    /// A fresh ticket.
    pub fn issue(
        random: [u8; ID_BYTES],
        now: i64,
        selection: &Selection,
        chosen_seed: bool,
        model: &str,
        protocol: Protocol,
    ) -> Self {
        let (set, quick) = match selection {
            Selection::Set(id) => (Some(id.clone()), None),
            Selection::Quick(quick) => (None, Some(*quick)),
        };
        Self {
            format: FORMAT,
            id: hex(&random),
            issued: now,
            set,
            quick,
            chosen_seed,
            model: model.to_owned(),
            protocol,
        }
    }

    /// Reads a ticket that was signed with this key.
    pub fn read(key: &[u8; 32], text: &str, now: i64) -> Result<Self, BadTicket> {
        let parts = text.split_once('.').filter(|_| text.len() <= LONGEST);
        let (said, proof) = parts.ok_or(BadTicket::Forged)?;
        if !same(&mac(key, "ticket", said), proof) {
            return Err(BadTicket::Forged);
        }
        let bytes = URL_SAFE_NO_PAD.decode(said).map_err(|_| BadTicket::Forged)?;
        let ticket: Self = serde_json::from_slice(&bytes).map_err(|_| BadTicket::Forged)?;
        let age = now - ticket.issued;
        // Clocks of two servers may differ a little; a ticket from far in the future is none of ours.
        match age {
            _ if ticket.format != FORMAT => Err(BadTicket::Expired),
            -60.. if age <= LIFETIME.as_secs().cast_signed() => Ok(ticket),
            _ => Err(BadTicket::Expired),
        }
    }

    /// As it is handed out.
    pub fn sign(&self, key: &[u8; 32]) -> String {
        let said = URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default());
        let proof = mac(key, "ticket", &said);
        format!("{said}.{proof}")
    }

    /// What is to be asked.
    pub fn selection(&self) -> Option<Selection> {
        match (&self.set, self.quick) {
            (Some(id), None) => Some(Selection::Set(id.clone())),
            (None, Some(quick)) => Some(Selection::Quick(quick)),
            _ => None,
        }
    }

    /// A number that nobody chose.
    pub fn turn(&self) -> usize {
        usize::from_str_radix(&self.id[..4.min(self.id.len())], 16).unwrap_or_default()
    }

    /// What names the run of this ticket. The id of the ticket itself is a secret of its holder.
    pub fn hash(&self) -> String {
        hex(&Sha256::digest(format!("run of {}", self.id)))
    }

    /// The text that lets its holder remove the run.
    pub fn delete_token(&self, key: &[u8; 32]) -> String {
        format!("bwq_{}", mac(key, "delete", &self.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];
    const NOW: i64 = 1_790_000_000;

    fn ticket() -> Ticket {
        Ticket::issue([1; 16], NOW, &Selection::Set("own-12".to_owned()), false, "m", Protocol::OneMessage1)
    }

    #[test]
    fn a_ticket_says_what_it_was_issued_for() {
        let text = ticket().sign(&KEY);
        assert_eq!(Ticket::read(&KEY, &text, NOW + 60), Ok(ticket()));
        assert_eq!(ticket().selection(), Some(Selection::Set("own-12".to_owned())));
    }

    #[test]
    fn what_was_changed_or_signed_by_another_is_forged() {
        let text = ticket().sign(&KEY);
        assert_eq!(Ticket::read(&[8; 32], &text, NOW), Err(BadTicket::Forged));
        let (said, proof) = text.split_once('.').unwrap();
        let mut other = ticket();
        other.model = "better".to_owned();
        let other = other.sign(&KEY);
        let swapped = format!("{}.{proof}", other.split_once('.').unwrap().0);
        let long = "x".repeat(5000);
        for wrong in ["", ".", said, &swapped, &text[1..], &text.to_uppercase(), &long] {
            assert_eq!(Ticket::read(&KEY, wrong, NOW), Err(BadTicket::Forged), "{wrong}");
        }
    }

    #[test]
    fn a_ticket_ends_after_a_day_and_does_not_begin_tomorrow() {
        let text = ticket().sign(&KEY);
        assert!(Ticket::read(&KEY, &text, NOW + 86_400).is_ok());
        assert_eq!(Ticket::read(&KEY, &text, NOW + 86_401), Err(BadTicket::Expired));
        assert_eq!(Ticket::read(&KEY, &text, NOW - 3600), Err(BadTicket::Expired));
    }

    #[test]
    fn the_run_of_a_ticket_does_not_tell_how_to_remove_it() {
        let ticket = ticket();
        assert_ne!(ticket.hash()[..16], ticket.id[..16]);
        assert_ne!(ticket.delete_token(&KEY), ticket.delete_token(&[8; 32]));
    }
}
