const list = (text: string): string[] => text.split(' | ');

export const FORMULAS = list(
  '\\hat{\\beta} = (X^\\top X)^{-1} X^\\top y | P(A \\mid B) = \\frac{P(B \\mid A)\\,P(A)}{P(B)} | \\frac{\\partial u}{\\partial t} = \\alpha \\nabla^2 u | H(X) = -\\sum_i p_i \\log_2 p_i | \\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2} | S(t) = \\prod_{t_i \\le t} \\left(1 - \\frac{d_i}{n_i}\\right) | \\nabla \\cdot \\mathbf{E} = \\frac{\\rho}{\\varepsilon_0} | \\sigma = \\sqrt{\\frac{1}{N}\\sum_{i=1}^{N}(x_i - \\mu)^2}',
);
export const CODE_BLOCKS: readonly string[] = [
  '```python\nimport numpy as np\n\ndef bootstrap(sample, rounds=10_000, seed=7):\n    rng = np.random.default_rng(seed)\n    means = [rng.choice(sample, len(sample)).mean() for _ in range(rounds)]\n    return np.percentile(means, [2.5, 97.5])\n```',
  '```ts\nexport async function* pages<T>(fetchPage: (cursor?: string) => Promise<{ data: T[]; next?: string }>) {\n  let cursor: string | undefined;\n  do {\n    const page = await fetchPage(cursor);\n    yield* page.data;\n    cursor = page.next;\n  } while (cursor);\n}\n```',
  "```sql\nSELECT region, date_trunc('month', observed_at) AS month, avg(value) AS mean, count(*) AS n\nFROM observations\nWHERE quality >= 3\nGROUP BY 1, 2\nORDER BY 1, 2;\n```",
  '```r\nfit <- lme4::lmer(score ~ treatment * week + (1 | site), data = visits)\nsummary(fit)\nconfint(fit, method = "Wald")\n```',
  '```bash\ncurl -sS https://example.org/data/latest.csv \\\n  | tail -n +2 \\\n  | sort -t, -k2,2 -k1,1 \\\n  > clean/observations.csv\n```',
  '```rust\nfn median(values: &mut [f64]) -> Option<f64> {\n    values.sort_by(|a, b| a.total_cmp(b));\n    match values.len() {\n        0 => None,\n        n if n % 2 == 1 => Some(values[n / 2]),\n        n => Some((values[n / 2 - 1] + values[n / 2]) / 2.0),\n    }\n}\n```',
];
