// What the axe scripts share: the options of the scan and the short form of its result. See evidence/axe.rs.
(dom) => {
  const NODES = 50;

  const options = {
    runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
    resultTypes: ['violations', 'incomplete'],
    reporter: 'v1',
  };

  /** Elements of this frame, open shadow roots included. */
  const elements = () => {
    let count = 1;
    dom.walk(dom.documentElement, (node) => {
      if (dom.nodeType(node) === 1) count += 1;
    });
    return count;
  };

  // A target is a path through frames; each step is a selector or, inside shadow roots, a list of them.
  const path = (target) => dom.cut(target.map((step) => (Array.isArray(step) ? step.join(' >>> ') : step)).join(' >>> '), 400);

  const find = (target) => {
    const steps = Array.isArray(target[0]) ? target[0] : [target[0]];
    let root = document;
    let element = null;
    for (const step of steps) {
      element = root === document ? dom.querySelectorAll(document, step)[0] : root.querySelector(step);
      if (!element) return null;
      root = dom.shadowRoot(element);
      if (!root) break;
    }
    return element;
  };

  // Elements of other frames are shown as the frame they are in.
  const rectOf = (node) => {
    try {
      const element = node.element ?? find(node.target);
      const rect = element ? dom.pageRect(dom.box(element)) : null;
      return rect && rect.width > 0 && rect.height > 0 ? rect : null;
    } catch {
      return null;
    }
  };

  const short = (node) => ({
    target: path(node.target),
    html: dom.cut(node.html, 300),
    summary: dom.cut(node.failureSummary, 600),
    rect: rectOf(node),
  });

  const of = (results, totalNodes, frames) => ({
    version: dom.cut(results.testEngine?.version, 40),
    total_nodes: totalNodes,
    frames,
    violations: results.violations.slice(0, 200).map((rule) => ({
      id: dom.cut(rule.id, 100),
      impact: dom.cut(rule.impact ?? 'minor', 20),
      help: dom.cut(rule.help, 300),
      help_url: dom.cut(rule.helpUrl, 300),
      tags: rule.tags.slice(0, 20).map((tag) => dom.cut(tag, 40)),
      node_count: rule.nodes.length,
      nodes: rule.nodes.slice(0, NODES).map(short),
    })),
    incomplete: Object.fromEntries(results.incomplete.slice(0, 200).map((rule) => [dom.cut(rule.id, 100), rule.nodes.length])),
  });

  return { options, elements, of };
}
