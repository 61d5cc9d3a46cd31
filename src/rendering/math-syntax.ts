import type { Nodes, Root } from 'mdast';
import { mathFromMarkdown } from 'mdast-util-math';
import { math } from 'micromark-extension-math';
import type { Code, Construct, Effects, Extension, State, TokenizeContext } from 'micromark-util-types';
import type { Processor } from 'unified';

const DOLLAR = 36;
const BACKSLASH = 92;

const stock = math() as { flow: Record<number, Construct>; text: Record<number, Construct> };
const [stockBlock, stockText] = [stock.flow[DOLLAR]!, stock.text[DOLLAR]!];

/** A block begins with a line of dollars after a blank line. Other dollars are inline, or an unclosed formula would swallow the rest. */
const block: Construct = {
  ...stockBlock,
  tokenize(effects, ok, nok) {
    if (this.interrupt === true) return nok;
    return effects.check(bareFence, stockBlock.tokenize.call(this, effects, ok, nok), nok);
  },
};

const bareFence: Construct = {
  partial: true,
  tokenize: (effects, ok, nok) => {
    const next: State = (code) => {
      if (isLineEnd(code)) return end(effects, ok, code);
      if (code !== DOLLAR && !isSpace(code)) return nok(code);
      effects.consume(code);
      return next;
    };
    return (code) => {
      effects.enter('mathFlowFence');
      return next(code);
    };
  },
};

function end(effects: Effects, ok: State, code: Code): State | undefined {
  effects.exit('mathFlowFence');
  return ok(code);
}

/** Paragraphs without a closing `$$`, which are searched once instead of for each pair of dollars. */
const unclosed = new WeakSet<TokenizeContext>();

/**
 * The rules of Pandoc: an opening `$` has no space after it, and the next `$` closes the formula if no space precedes and no digit follows.
 * Otherwise both are text, as in prices. `$$` may have spaces, and a backslash puts the next dollar into the formula.
 */
const text: Construct = {
  ...stockText,
  tokenize(effects, ok, nok) {
    let opened = 0;
    let closing = 0;
    let isAfterSpace = false;
    let fence: ReturnType<Effects['enter']>;

    const start: State = (code) => {
      effects.enter('mathText');
      effects.enter('mathTextSequence');
      return open(code);
    };
    const open: State = (code) => {
      if (code === DOLLAR) {
        effects.consume(code);
        opened++;
        return open;
      }
      if (opened > 2 || (opened === 2 && unclosed.has(this)) || (opened === 1 && (isSpace(code) || isLineEnd(code))))
        return nok(code);
      effects.exit('mathTextSequence');
      return between(code);
    };
    const between: State = (code) => {
      if (code === null) {
        if (opened === 2) unclosed.add(this);
        return nok(code);
      }
      if (code === DOLLAR) {
        fence = effects.enter('mathTextSequence');
        closing = 0;
        return close(code);
      }
      isAfterSpace = isSpace(code) || isLineEnd(code);
      if (code !== 32 && !isLineEnd(code)) {
        effects.enter('mathTextData');
        return data(code);
      }
      const type = code === 32 ? 'space' : 'lineEnding';
      effects.enter(type);
      effects.consume(code);
      effects.exit(type);
      return between;
    };
    const data: State = (code) => {
      if (code === 32 || code === DOLLAR || isLineEnd(code)) {
        effects.exit('mathTextData');
        return between(code);
      }
      isAfterSpace = isSpace(code);
      effects.consume(code);
      return code === BACKSLASH ? escaped : data;
    };
    const escaped: State = (code) => {
      if (code !== DOLLAR && code !== BACKSLASH) return data(code);
      effects.consume(code);
      return data;
    };
    const close: State = (code) => {
      if (code === DOLLAR) {
        effects.consume(code);
        closing++;
        return close;
      }
      if (closing === opened && (opened === 2 || !(isAfterSpace || isDigit(code)))) {
        effects.exit('mathTextSequence');
        effects.exit('mathText');
        return ok(code);
      }
      if (opened === 1) return nok(code);
      // The dollars belong to the formula.
      fence.type = 'mathTextData';
      isAfterSpace = false;
      return data(code);
    };
    return start;
  },
};

/** Parses formulas in Markdown: `$…$` in a sentence, `$$…$$` on lines of their own. */
export function remarkFormulas(this: Processor): (tree: Root, file: { value: unknown }) => void {
  const data = this.data() as { micromarkExtensions?: Extension[]; fromMarkdownExtensions?: unknown[] };
  (data.micromarkExtensions ??= []).push({ flow: { [DOLLAR]: block }, text: { [DOLLAR]: text } });
  (data.fromMarkdownExtensions ??= []).push(mathFromMarkdown());
  return (tree, file) => markDisplayed(tree, String(file.value));
}

/** Marks two dollars in a paragraph as a block, as GitHub and Jupyter do. */
function markDisplayed(node: Nodes, source: string): void {
  if (node.type === 'inlineMath') {
    if (source.startsWith('$$', node.position!.start.offset))
      node.data!.hProperties = { className: ['language-math', 'math-display'] };
  } else if ('children' in node) for (const child of node.children) markDisplayed(child, source);
}

/** Line breaks have codes below -2. Tabs and the columns of a tab have -2 and -1. */
function isLineEnd(code: Code): boolean {
  return code === null || code < -2;
}

function isSpace(code: Code): boolean {
  return code === 32 || code === -2 || code === -1;
}

function isDigit(code: Code): boolean {
  return code !== null && code >= 48 && code <= 57;
}
