const MARKS = /[&<>"']/g;

/** Escapes text for HTML, including attributes. */
export function htmlText(text: string): string {
  return text.replace(MARKS, (mark) => `&#${mark.charCodeAt(0)};`);
}
