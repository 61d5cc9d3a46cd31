import { hasSessionMark } from './session-mark.js';

const links = document.querySelectorAll<HTMLAnchorElement>('#account a[href="/sign-in"]');
const here = location.pathname + location.search;
for (const link of links) link.href = `/sign-in?to=${encodeURIComponent(here)}`;
// A visitor's page loads no more code.
if (hasSessionMark()) {
  const { addOwnParts } = await import('./viewer/public-page.js');
  await addOwnParts();
}
