// Runs in the browser of hostile-page.ts.
const CLASSES =
  /^(language-[\w+#.-]+( math-(inline|display))?|math-(inline|display)|sr-only|footnotes|contains-task-list|task-list-item|data-footnote-backref)?$/;
const FORMULA_PARTS = /^(span|svg|path|line|math|semantics|annotation|m[a-z]+)$/;
const FORMULA_ATTRIBUTES =
  /^(class|style|title|aria-hidden|xmlns|encoding|viewBox|preserveAspectRatio|d|x1|x2|y1|y2|width|height|(stroke|math|min|max|row|column|l|r|line|display|script|vo|de|sym|fence|sep|stretchy|acc|movable|form|notation|mat)[a-z-]*)$/;

/** Elements and attributes that the list does not have, with the number of their text. */
globalThis.foreignParts = (allowed, formulas = '.katex, .katex-display, .katex-error') => {
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    if (element.matches('section[data-vector]')) continue;
    const { localName: name } = element;
    const vector = Number(element.closest('[data-vector]')?.dataset.vector ?? -1);
    const check = (holds, what) => holds || found.push({ vector, what });
    const isFormula = element.closest(formulas) !== null;
    check(isFormula ? FORMULA_PARTS.test(name) : name in allowed, name);
    for (const { name: attribute, value } of element.attributes) {
      const what = `${name} ${attribute}="${value}"`;
      if (isFormula) {
        // a title is text: what was wrong with the formula
        check(FORMULA_ATTRIBUTES.test(attribute), what);
        check(attribute === 'title' || !/url|expression|script:/i.test(value), what);
      } else {
        check(allowed[name]?.includes(attribute), what);
        check(attribute !== 'class' || CLASSES.test(value), what);
        check(attribute !== 'id' || value.startsWith('user-content-'), what);
      }
    }
    if (name === 'a' && element.hasAttribute('href')) {
      // as the browser understands it
      check(/^(https?|mailto):/.test(element.href), `a to ${element.href}`);
      const isInside = element.hash.startsWith('#user-content-') && element.pathname === location.pathname;
      check(isInside || element.rel === 'ugc nofollow noopener', `a to ${element.href} with rel="${element.rel}"`);
    }
    if (name === 'img') check(!element.hasAttribute('src') || /^https?:/.test(element.src), `img from ${element.src}`);
    if (name === 'input') check(element.type === 'checkbox' && element.disabled, `input ${element.type}`);
  }
  return found;
};

globalThis.insertAll = (texts) => {
  for (const [index, html] of texts.entries()) {
    const section = document.createElement('section');
    section.dataset.vector = String(index);
    section.innerHTML = html;
    document.body.append(section);
  }
};

/** As React does: a script that is created runs when it is added. */
globalThis.createAll = (texts) => {
  const copy = (node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return node.cloneNode();
    const element = document.createElementNS(node.namespaceURI, node.localName);
    for (const { name, value } of node.attributes) element.setAttribute(name, value);
    element.append(...[...node.childNodes].map(copy));
    return element;
  };
  for (const [index, html] of texts.entries()) {
    const section = document.createElement('section');
    section.dataset.vector = String(index);
    const parsed = new DOMParser().parseFromString(html, 'text/html');
    section.append(...[...parsed.head.childNodes, ...parsed.body.childNodes].map(copy));
    document.body.append(section);
  }
};

/** Elements that are not allowed, attributes with code, and links that do not lead to the web. */
globalThis.runnableParts = (allowed) => {
  const found = [];
  for (const element of document.querySelectorAll('section[data-vector] *')) {
    if (!allowed.includes(element.localName)) found.push(element.localName);
    for (const { name } of element.attributes) {
      if (/^on|^style$|^srcdoc$|^formaction$/.test(name)) found.push(`${element.localName} ${name}`);
    }
    if (element.hasAttribute('href') && !/^(https?|mailto|media):/.test(element.href)) found.push(element.outerHTML);
  }
  return found;
};

/** What else would wait for a person. */
globalThis.touchAll = () => {
  for (const element of document.querySelectorAll('body *')) {
    for (const type of ['focus', 'mouseover', 'pointerover', 'toggle', 'load', 'error', 'animationstart', 'click']) {
      const event = new Event(type, { bubbles: true, cancelable: true });
      // a link may lead away
      if (type === 'click') event.preventDefault();
      element.dispatchEvent(event);
    }
  }
};
