// Sends one request again and says whether the answer holds the marker. Only the verdict leaves the page. See backend/replay.rs.
async (argument, dom) => {
  const MAX_BYTES = 8 * 1024 * 1024;
  const attempt = async (credentials) => {
    const answer = await fetch(argument.url, {
      method: argument.method,
      headers: argument.headers,
      body: argument.body ?? undefined,
      credentials,
      cache: 'no-store',
      signal: AbortSignal.timeout(argument.milliseconds),
    });
    const reader = answer.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (let bytes = 0; reader && bytes < MAX_BYTES; ) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
      text += decoder.decode(value, { stream: true });
    }
    const lower = text.toLowerCase();
    return { status: answer.status, found: argument.texts.map((wanted) => lower.includes(wanted.toLowerCase())), bytes: text.length };
  };
  try {
    return await attempt('include');
  } catch {
    // An API of another origin that answers everybody forbids credentials.
    try {
      return await attempt('omit');
    } catch (error) {
      return { error: dom.cut(error.message, 200) };
    }
  }
}
