() => {
  // Only what a visitor can see counts as text: innerText leaves out scripts, styles and hidden elements, and reads the rendered page.
  const body = document.body;
  const visible = body ? (body.innerText || '').replace(/\s+/g, ' ').trim() : '';
  const bytes = (selector) => {
    let sum = 0;
    for (const element of [...document.querySelectorAll(selector)].slice(0, 5000)) sum += new Blob([element.textContent || '']).size;
    return sum;
  };
  return {
    visibleTextLength: [...visible].length,
    visibleTextSample: visible.slice(0, 2000),
    inlineScriptBytes: bytes('script:not([src]):not([type="application/ld+json"]):not([type="application/json"])'),
    inlineStyleBytes: bytes('style'),
    title: document.title.slice(0, 500),
  };
}
