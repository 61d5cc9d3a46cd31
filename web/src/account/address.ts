import { useEffect, useState } from 'preact/hooks';

/** Opens a page of the same frame without loading a document. */
export function go(path: string): void {
  history.pushState(null, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
}

/** Returns the current address. Links below `root` open in this document, and give the focus to `heading`, a selector. */
export function useAddress(root: string, heading: string): string {
  const [address, setAddress] = useState(addressNow);
  useEffect(() => {
    const changed = (): void => {
      setAddress(addressNow());
      document.querySelector<HTMLElement>(heading)?.focus();
      scrollTo(0, 0);
    };
    const clicked = (event: MouseEvent): void => {
      const link = (event.target as Element).closest<HTMLAnchorElement>(`a[href^="${root}"]`);
      if (link === null || link.hash !== '' || event.button > 0 || event.metaKey || event.ctrlKey || event.shiftKey)
        return;
      event.preventDefault();
      go(link.pathname + link.search);
    };
    addEventListener('popstate', changed);
    document.addEventListener('click', clicked);
    return () => {
      removeEventListener('popstate', changed);
      document.removeEventListener('click', clicked);
    };
  }, []);
  return address;
}
const addressNow = (): string => location.pathname + location.search;
