// Everything works without this. A link into a folded part opens it, where a browser does not do so by itself.
const unfold = () => {
  const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  for (let part = target?.closest("details"); part; part = part.parentElement?.closest("details")) part.open = true;
  target?.scrollIntoView();
};
addEventListener("hashchange", unfold);
if (location.hash.length > 1) unfold();
