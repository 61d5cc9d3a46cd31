import { useTexts } from './context.js';

const formats = new Map<string, Intl.DateTimeFormat>();
const numbers = new Map<string, Intl.NumberFormat>();

/** A day in UTC, because pages are equal for all readers. */
export function Time({ at }: { at: string }) {
  const { language } = useTexts();
  let format = formats.get(language);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
    formats.set(language, format);
  }
  return <time dateTime={at}>{format.format(new Date(at))}</time>;
}

/** A time of the reader's clock. */
export function Moment({ at }: { at: string }) {
  const { language } = useTexts();
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  return <time dateTime={at}>{format.format(new Date(at))}</time>;
}

/** `1.2K` */
export function compact(count: number, language: string): string {
  let format = numbers.get(language);
  if (format === undefined) {
    format = new Intl.NumberFormat(language, { notation: 'compact' });
    numbers.set(language, format);
  }
  return format.format(count);
}
