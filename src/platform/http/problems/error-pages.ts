import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { TextResponse } from '../text-response.js';
import { problemPage } from './problem-page.js';
import type { Problem } from './problem.js';

type Render = (problem: Problem) => TextResponse | Promise<TextResponse>;

/** Writes errors as pages for browsers. With a site, these are pages of the site, also for URLs that do not exist. */
@Injectable()
export class ErrorPages {
  hasSite = false;
  render: Render;

  constructor({ site, auth }: AppConfig) {
    const url = site.url ?? auth.returnOrigins.find((origin) => origin !== site.api);
    const link = { name: site.name ?? 'the site', url };
    this.render = (problem) => problemPage(problem, link);
  }

  useSite(render: Render): void {
    this.hasSite = true;
    this.render = render;
  }
}
