//! What a site signs with: random, made when it is first asked for, shared by all who use the index.

use super::super::Index;
use super::super::error::IndexError;
use std::fmt::Write as _;

const KEY_BYTES: usize = 32;

impl Index {
    /// The secret of this name.
    pub async fn secret(&self, name: &str) -> Result<[u8; KEY_BYTES], IndexError> {
        let failed = |reason: String| IndexError::Failed { doing: "find the key of this site", reason };
        let mut random = [0; KEY_BYTES];
        getrandom::fill(&mut random).map_err(|error| failed(error.to_string()))?;
        let hex = random.iter().fold(String::with_capacity(2 * KEY_BYTES), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        let mut session = self.database.begin().await?;
        let sql = "INSERT INTO keys (name, secret) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        session.execute(sql, vec![name.into(), hex.into()]).await?;
        let mut rows = session.query("SELECT secret FROM keys WHERE name = $1", vec![name.into()]).await?;
        session.commit().await?;
        let kept = rows.first_mut().ok_or_else(|| failed("it is gone".to_owned()))?.text()?;
        bytes(&kept).ok_or_else(|| failed("it cannot be read".to_owned()))
    }
}

fn bytes(hex: &str) -> Option<[u8; KEY_BYTES]> {
    let mut bytes = [0; KEY_BYTES];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(bytes)
}
