import { useTexts } from './context.js';

type PagerProps = {
  first: string | undefined;
  next: string | undefined;
  /** of the link to the next page; default: more posts */
  label?: string;
};

/** Links to the next page of a list, and to its first page from a later one. */
export function Pager({ first, next, label }: PagerProps) {
  const texts = useTexts();
  if (first === undefined && next === undefined) return null;
  return (
    <nav class="pager" aria-label={texts.nextPage}>
      {first !== undefined && <a href={first}>{texts.firstPage}</a>}
      {next !== undefined && (
        <a class="button" rel="next" href={next}>
          {label ?? texts.next}
        </a>
      )}
    </nav>
  );
}

type Choice = { href: string; label: string; isCurrent: boolean };

/** A row of links of which one is current. */
export function Choices({ label, choices }: { label: string; choices: Choice[] }) {
  return (
    <nav class="choices" aria-label={label}>
      {choices.map((choice) => (
        <a key={choice.href} href={choice.href} aria-current={choice.isCurrent ? 'true' : undefined}>
          {choice.label}
        </a>
      ))}
    </nav>
  );
}
