import { continueList } from './more-posts.js';
import { hasSessionMark } from './session-mark.js';
import { offerSuggestions } from './suggestions.js';
import { reportVisit, sendAsVisitor } from './visit.js';

const links = document.querySelectorAll<HTMLAnchorElement>('#account a[href="/sign-in"]');
const here = location.pathname + location.search;
for (const link of links) link.href = `/sign-in?to=${encodeURIComponent(here)}`;
offerSuggestions();
// A visitor's page loads no more code.
if (hasSessionMark()) {
  const { addOwnParts, addButtons, sendEvent } = await import('./viewer/public-page.js');
  await addOwnParts();
  continueList((posts) => void addButtons(posts));
  reportVisit(sendEvent);
} else {
  continueList(() => undefined);
  reportVisit(sendAsVisitor);
}
