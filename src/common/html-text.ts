const MARKS = /[&<>"']/g;

/** Text as it stands in HTML, in an attribute too. */
export function htmlText(text: string): string {
  return text.replace(MARKS, (mark) => `&#${mark.charCodeAt(0)};`);
}
