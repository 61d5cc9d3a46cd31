const list = (text: string): string[] => text.split(' | ').map((item) => item.trim());

/** Subjects of posts. The text, the title and the first tags come from the same subject. */
export const TOPICS: readonly { name: string; tag: string }[] = list(
  'coral reefs | machine learning | medieval trade | gut bacteria | distributed systems | urban gardens | quantum optics | folk music | soil carbon | sleep | tidal energy | typography | migratory birds | graph theory | public libraries | protein folding | oral history | glacier melt | compilers | street food | dark matter | child language | open data | river deltas | ceramics | game design | vaccine trust | number theory | slow travel | bird song | database indexes | night trains | solar cells | grief | bread | epidemiology | chess | remote work | fungi | lighthouses | human memory | cryptography | mountain weather | translation | microplastics | jazz | city buses | robot ethics | bees | essay writing',
).map((name) => ({ name, tag: name.replaceAll(' ', '-') }));

export const ADJECTIVES = list(
  'careful | surprising | modest | early | robust | fragile | hidden | local | shared | slow | recent | unlikely | patient | clear | uneven | quiet | measured | ordinary | stubborn | simple | costly | honest | incomplete | remote | practical | seasonal | repeated | partial | bright | narrow',
);
export const NOUNS = list(
  'method | sample | archive | question | pattern | notebook | model | claim | signal | boundary | habit | instrument | result | margin | story | argument | map | routine | threshold | comparison | effect | failure | series | record | detail | source | baseline | community | assumption | estimate',
);
export const PLURALS = list(
  'field notes | interviews | older papers | measurements | neighbours | volunteers | small studies | early drafts | simulations | reviewers | letters | local records | control groups | readers | students | long series | rough estimates | failed attempts | two workshops | careful replications',
);
export const PAST_VERBS = list(
  'measured | rewrote | compared | ignored | collected | revised | doubted | traced | counted | described | repeated | abandoned | mapped | tested | discussed | borrowed',
);
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
/** Halves of the long tail of tags. */
export const TAG_HEADS = list(
  'applied | open | early | urban | rural | coastal | digital | computational | comparative | northern | southern | practical | historical | experimental | community | modern | ancient | marine | alpine | visual | critical | personal | radical | quiet | statistical | cognitive | social | tropical | polar | small-town',
);
export const TAG_TAILS = list(
  'ecology | history | poetry | statistics | design | methods | notes | essays | biology | physics | craft | teaching | fiction | travel | cooking | policy | networks | software | medicine | music | geology | archives | photography | philosophy | economics | writing | data | tools | stories | climate | astronomy | chemistry | linguistics | memoir | theatre | cities | forests | oceans | robots | health',
);
