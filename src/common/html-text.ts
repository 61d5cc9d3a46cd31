const MARKS = /[&<>"']/g;

/** Escapes text for HTML, attributes included. */
export function htmlText(text: string): string {
  return text.replace(MARKS, (mark) => `&#${mark.charCodeAt(0)};`);
}
