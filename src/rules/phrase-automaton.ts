type Node = {
  next: Map<string, Node>;
  /** the node of the longest suffix of these words; null at the root */
  fallback: Node | null;
  /** indexes of the phrases that end here */
  ends: number[];
  /** the nearest fallback with ends */
  shorter: Node | null;
};

/**
 * Finds phrases in a sequence of words: the algorithm of Aho and Corasick, with words as its letters. Takes time linear in the number of
 * words, for any number of phrases.
 */
export class PhraseAutomaton {
  private readonly root = newNode();

  constructor(phrases: readonly (readonly string[])[]) {
    phrases.forEach((words, index) => this.add(words, index));
    this.link();
  }

  /** Returns the indexes of the phrases whose words are adjacent in the text. */
  match(words: readonly string[]): Set<number> {
    const found = new Set<number>();
    const reported = new Set<Node>();
    let node = this.root;
    for (const word of words) {
      node = this.step(node, word);
      // The rest of a reported chain is reported, too.
      for (let end: Node | null = node; end !== null && end !== this.root && !reported.has(end); end = end.shorter) {
        reported.add(end);
        for (const index of end.ends) found.add(index);
      }
    }
    return found;
  }

  private add(words: readonly string[], index: number): void {
    let node = this.root;
    for (const word of words) {
      let next = node.next.get(word);
      if (next === undefined) node.next.set(word, (next = newNode()));
      node = next;
    }
    if (node !== this.root) node.ends.push(index);
  }

  /** Sets the fallbacks, level by level. */
  private link(): void {
    const queue = [this.root];
    for (const node of queue) {
      for (const [word, child] of node.next) {
        child.fallback = node.fallback === null ? this.root : this.step(node.fallback, word);
        child.shorter = child.fallback.ends.length > 0 ? child.fallback : child.fallback.shorter;
        queue.push(child);
      }
    }
  }

  private step(from: Node, word: string): Node {
    for (let node: Node | null = from; node !== null; node = node.fallback) {
      const next = node.next.get(word);
      if (next !== undefined) return next;
    }
    return this.root;
  }
}

function newNode(): Node {
  return { next: new Map(), fallback: null, ends: [], shorter: null };
}
