import { type DemoPost, demoPost } from './demo-post.js';

export const PAPERS: readonly DemoPost[] = [
  demoPost(
    {
      type: 'research-paper',
      topic: 'bird-song',
      title: 'Do blackbirds sing earlier near streetlamps? A count on twelve streets',
      subtitle: 'A small study with neighbours, alarm clocks and a spreadsheet',
      tags: ['bird-song', 'ecology', 'methods'],
    },
    `
**Abstract.** Twelve volunteers noted the time of the first blackbird song on twelve streets for twenty mornings in April. On streets with lamps that burn all night, song began 34 minutes earlier on average than on streets whose lamps are switched off at midnight. Noise explains little of the difference.

## Introduction

That artificial light advances the dawn song of some birds is well known. Most studies compare cities with forests, which differ in much more than light. Our town switches off half of its lamps at midnight to save money, street by street. This is as close to an experiment as a budget committee will ever get.

## Methods

Each observer stood at the same window from four in the morning and wrote down the first full phrase. Streets were paired by traffic, trees and height of the houses. Observers did not know each other's times.

## Results

| street | lamps | first song | nights |
| --- | --- | ---: | ---: |
| Mill Lane | all night | 4:31 | 19 |
| Station Road | all night | 4:28 | 20 |
| Canal Street | midnight | 5:02 | 18 |
| Orchard Way | midnight | 5:07 | 20 |

Over all six pairs the mean difference was 34 minutes. With $n = 6$ pairs and a standard deviation of $s = 11$ minutes the statistic is

$$
t = \\frac{\\bar d}{s / \\sqrt{n}} = \\frac{34}{11 / \\sqrt{6}} \\approx 7.6
$$

'''r
times <- read.csv("first-song.csv")
t.test(times$lit, times$dark, paired = TRUE)
'''

## Discussion

Twelve streets are twelve streets. An observer who is woken by a bird may be earlier than one who is woken by a clock; we asked everyone to use a clock. What an early start costs the birds, or brings them, we cannot say.

## Data

The times, the pairs and the excuses of two observers who overslept are available from the author.
`,
  ),
  demoPost(
    {
      type: 'research-paper',
      topic: 'game-design',
      title: 'How many rolls until every face of the die has shown?',
      series: 'explained',
      subtitle: 'The coupon collector, with a loaded die',
      tags: ['game-design', 'mathematics', 'statistics'],
    },
    `
**Abstract.** Players of a children's game must see every face of a die before they may leave the castle. We derive how long this takes with a fair die, simulate it with a loaded one, and suggest a rule that keeps five-year-olds at the table.

## The fair die

When $k$ faces are still missing, a roll shows one of them with probability $k/6$. The expected number of rolls until it happens is $6/k$. Adding up,

$$
E = \\sum_{k=1}^{6} \\frac{6}{k} = 6 \\left( 1 + \\frac{1}{2} + \\frac{1}{3} + \\frac{1}{4} + \\frac{1}{5} + \\frac{1}{6} \\right) = 14.7
$$

Almost half of that, six rolls, is spent waiting for the last face.

## The loaded die

Dice from a party shop are not fair. We rolled ours 3000 times; the six appeared in 13.1 percent of the rolls instead of 16.7. A simulation is quicker than a formula:

'''python
import random

def rolls(weights):
    seen, count = set(), 0
    while len(seen) < len(weights):
        seen.add(random.choices(range(len(weights)), weights)[0])
        count += 1
    return count

mean = sum(rolls([1, 1, 1, 1, 1, 0.75]) for _ in range(100_000)) / 100_000
'''

The answer is 15.0: a small bias makes a small difference to the mean. It makes a larger one to the worst case.

## What children notice

| rule | mean rolls | more than 25 rolls |
| --- | ---: | ---: |
| all six faces | 14.7 | 6 % |
| any five faces | 8.7 | under 1 % |

## Recommendation

Five faces. Nobody at the table missed the sixth, and nobody cried.
`,
  ),
  demoPost(
    {
      type: 'research-paper',
      topic: 'oral-history',
      title: 'Nine accounts of one flood',
      subtitle: 'On agreement and disagreement in interviews about the night of 16 February 1962',
      tags: ['oral-history', 'history', 'archives'],
    },
    `
**Abstract.** Nine people who lived on the same dyke road in February 1962 were interviewed between 1998 and 2004. The accounts agree on sounds and objects and disagree on times and persons. We argue that this pattern is useful: an archivist learns from it what to ask.

## Material

The interviews last between forty minutes and three hours. The youngest witness was six years old in 1962, the oldest fifty-eight. None had heard the others' tapes.

## What they agree on

- The silence when the wind paused, shortly before the water came.
- A neighbour's piano, which floated, and was heard.
- That nobody had shoes on.

## What they disagree on

Four witnesses place the breach before midnight and five after it. Seven remember who brought the first boat; they name five different men. Two of the five had died before 1962.

## An explanation

The sounds were *perceived*. The times and names were *told*: in the school where families slept for nine nights, in newspapers, at anniversaries. A story that is told by many needs a clock and a hero, and each family found its own.

> I can still hear that piano. Who rowed the boat? My father, I suppose. It was always my father. (Witness 3, tape 2)

## Conclusion

Ask first for what the witness heard, smelled and held. Ask for the time last, and do not correct it.
`,
  ),
];
