import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useTexts } from '../components/context.js';

export type PageProps = {
  title: string;
  /** what the title of the document begins with */
  part?: string;
  isWide?: boolean;
  children: ComponentChildren;
};

/** A page with one heading, which is the title of the document. */
export function AccountPage({ title, part, isWide = false, children }: PageProps) {
  const [site] = useState(() => document.title.split(' – ').slice(1));
  useEffect(() => {
    document.title = [part ?? [], title, site].flat().join(' – ');
  }, [part, title]);
  return (
    <div class={isWide ? 'account wide' : 'account'}>
      <h1>{title}</h1>
      {children}
    </div>
  );
}

/** The result of an action. It takes the focus, so that a screen reader reads it. */
export function Done({ children }: { children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.focus(), []);
  return (
    <div class="done" role="status" tabIndex={-1} ref={element}>
      {children}
    </div>
  );
}

/**
 * Returns the value after `#name=`, and removes it from the address, so that no copy of the address and no later page has it. Undefined if
 * the link has none.
 */
export function useFragment(name: 'token' | 'action' | 'code'): string | undefined {
  const [value] = useState(() => new URLSearchParams(location.hash.slice(1)).get(name) || undefined);
  useEffect(() => {
    if (name !== 'action') history.replaceState(null, '', location.pathname);
  }, [name]);
  return value;
}

export function BrokenLink() {
  return <p>{useTexts().account.brokenLink}</p>;
}
