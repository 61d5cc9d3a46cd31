import { useTexts } from '../components/context.js';
import type { PageProblem } from '../contract.js';

/** An error instead of a page. */
export function Problem({ title, problem }: { title: string; problem: PageProblem }) {
  const texts = useTexts();
  return (
    <div class="problem">
      <p class="status" aria-hidden="true">
        {problem.status}
      </p>
      <h1>{title}</h1>
      <p>{problem.status === 404 ? texts.notFound : problem.detail}</p>
      <p>
        <a class="button" href="/">
          {texts.backHome}
        </a>
      </p>
      {problem.requestId !== undefined && problem.status >= 500 && (
        <p class="small">
          {texts.requestId} {problem.requestId}
        </p>
      )}
    </div>
  );
}
