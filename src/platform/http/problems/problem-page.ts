import { htmlText } from '../../../common/html-text.js';
import { addRouteConfig } from '../route-config.js';
import { TextResponse } from '../text-response.js';
import type { Problem } from './problem.js';

export type PageRoute = { hasErrorPage?: boolean };
export type ErrorPageLink = { name: string; url: string | undefined };

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Returns errors as an HTML page to browsers and as a problem to other clients. */
export function ErrorPage(): MethodDecorator {
  return addRouteConfig({ hasErrorPage: true } satisfies PageRoute);
}

export function wantsErrorPage(config: PageRoute | undefined, accept = ''): boolean {
  return config?.hasErrorPage === true && accept.includes('text/html');
}

export function problemPage({ title, detail, requestId }: Problem, { name, url }: ErrorPageLink): TextResponse {
  const link = url === undefined ? '' : `<p><a href="${htmlText(url)}">Back to ${htmlText(name)}</a></p>\n`;
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${htmlText(title)}</title>
</head>
<body>
<h1>${htmlText(title)}</h1>
<p>${htmlText(detail)}</p>
${link}<p><small>${htmlText(requestId)}</small></p>
</body>
</html>
`;
  return new TextResponse(page, HEADERS);
}
