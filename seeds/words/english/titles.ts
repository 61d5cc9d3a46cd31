import type { PostType } from '../../../src/posts/post-types.js';

/** Titles by type, and subtitles. */
export const TITLES: Readonly<Record<PostType, string>> = {
  'research-paper': `
{measure} and {measure} {place}
{act} and its effect on {measure}: a {n}-site study
Does {trouble} explain {measure}? Evidence from {town}
On {measure} in {T}
{T} in {town} since {year}
A {n}-year series of {measure} from {town}
Measuring {measure} with {a tool}: a replication of {name} ({year})
Estimating {measure} from {things}
{things} {place}: a survey of {n} {people}
{adj} {things}, {adj} {things}: a classification after {name}
Toward {an adj} account of {trouble} in {T}
Who [notices|reports|causes] {trouble}? Interviews with {n} {people}
The {name} hypothesis, revisited {place}
{field} and {T}: a review
A note on {name}'s [bound|method|index] for {measure}
Sources of error in {measure}, with {an adj} example`,
  article: `
What {a thing} taught me about {T}
{few} things we get wrong about {T}
In praise of the {adj} {thing}
The {adj} [life|future|past|economy] of {things}
Why {people} [love|fear|keep|need] {things}
How {town} [learned|failed|began] to live with {trouble}
{act} is not {act}
A beginner's guide to {act}
The {thing} {place}
Notes from {town}: {T} in {season}
{full} and the {adj} {thing}
Before {act}, read this
The case [for|against] {a tool}
{measure}, explained with {things}
Against {trouble}
What {people} know about {measure}
The {people} of {town}
{a tool}, {a thing}, and {n} [days|nights] in {town}
Learning {T} from {a person}
The [year|day|week] we [stopped|began] {act}`,
  poem: `
{place}
{adj} {things}
Lines for {a thing}
{season}, {town}
Ode to {a tool}
{few} {things}
{a thing} in {month}
Elegy for {an adj} {thing}
What the {thing} said
{act}
{month} {place}
To {full}
Small song of {T}
{things}, {things}
After {trouble}
The {adj} {thing}
Letter to {a person}`,
  story: `
The {thing} of {town}
The {person}'s {thing}
{few} {things}
{full} and the {adj} {thing}
The last {person} in {town}
{a person} {place}
The {adj} {thing}
Nobody [sells|finds|asks for] {things} in {town}
The {season} of the {thing}
What happened {place}
The {person} who {did} {things}
{day}, {place}
A {tool} for {full}
The road to {town}
{trouble} comes to {town}
The room [above|behind|under] the {thing}`,
  book: `
{T}, chapter {digit}: {things}
{an adj} handbook of {T}
{T} for {people}, part {digit}
{things} and {people}: a short history, chapter {digit}
The {town} book of {T}
{act}, a manual in {few} lessons
A [field|reader's|beginner's] guide to {things}
The {adj} art of {act}, chapter {digit}
All the {things} of {town}, volume {digit}
{name}'s {T}, annotated`,
  written: `
Notes on {T}, no. {n}
{day}, {place}
{a thing}, {a tool}, a question
On {act}
Overheard {place}
{few} [sentences|thoughts] about {things}
To the {people} of {town}
{trouble}, again
Things I learned {place}
A list of {adj} {things}
Postcard from {town}
{measure}, {month} {year}
Reading {name} on {things}
[Small|Late|Unsent] letter about {T}`,
};

export const SUBTITLES = `
What {people} [told me|know|leave out] about {T}
Notes from {n} days {place}
A short [history|defence|guide], with {things}
And why {trouble} is only half of it
From {town} to {town}, with {a tool}
With [thanks|apologies] to {full}
What changed after {year}
On {measure}, {things} and patience
Lessons from {an adj} {season}
For {people}, and for anyone who has met {trouble}
{act}, slowly
The [long|short] version
Part [memoir|manual|complaint], part [love letter|map|recipe]
What {a tool} can and cannot do
A [conversation|walk|{season}] with {full}
In {few} [steps|scenes|letters]`;

/** Headings of articles, books and notes. */
export const HEADINGS = `
[Definitions|Beginnings|Some facts] first
{place}
The {adj} {thing}
{things} and {people}
What {people} [say|do|want]
[Why|How|When] {act} [matters|works|fails]
{trouble}
A [short|small|necessary] detour to {town}
{measure}, roughly
The [first|last] {season}
With {a tool}
[Lessons|Mistakes|Surprises] from {town}
{full}, [briefly|remembered|in person]
What [comes next|remains|I would change]
[Questions|Objections|Doubts]
[Before|After] {year}
{act}
A [case|trial|sample] to begin with
[Money|Weather|Time] and {things}
[In|By] numbers
{few} {things}
[Where|How] to [start|continue|stop]
[Against|For|Beyond] {trouble}
Where the {things} go
Further [notes|pages|sources]`;

export const STORY_HEADINGS = `
{day}
{month}
{place}
{town}
The {adj} {thing}
What [he|she|they] [knew|promised|dreamed]
{a person}
[Later|Before|After|Home|Rain]
{few} {things}`;

/** Sections of a paper, in their order. */
export const SECTIONS = `
Introduction
Background
Related studies
[Study area|Materials|Participants|Sources]: {town}
Methods
[Measuring|Modelling] {measure}
[Sampling|Recruitment] {place}
Results
{measure} by [site|cohort|age]
{things}
[The role of|Effects of] {trouble}
A worked example
Discussion
[Limits|Limitations]
[Implications|Recommendations] for {people}
Data and code
Conclusion
Acknowledgements`;

/** Lines before a list. */
export const LEADS = `
What [helped|stayed|counts]:
In short:
[Things|Rules] to [remember|try|avoid]:
[From|In] my notebook of {recent}:
[A checklist|Advice] for {people}:
[Seen|Heard] {place}:
[Reasons|Steps|Signs]:
To be [clear|fair]:`;

/** Biographies. `{home}` is a real town. */
export const BIOS = `
{a person} in {home}. Writes about {T} and {T2}.
[Keeps|Collects|Repairs|Draws] {things} in {home}, and writes about it [on Sundays|late at night|when it rains].
[Former|Part-time|Retired|Accidental] {person}. [Interested in|Mostly reads about|Learning] {T}, {T2} and [bread|tea|maps|old radios].
I [like|believe in|write about] {act}, [long walks|short sentences|slow mornings] and {adj} {things}.
[Born in|Moved from] {town}, [lives in|works in] {home}. {T} by day, {T2} by night.
[Notes|Essays|Stories|Small poems] on {T} from {home}. [Opinions|Typos|Mistakes] are my own.
[Asks|Asking] {people} about {measure}. [Author of|At work on] a [book|blog|series] about {T2}.
[Once|Nearly] {a person}, now [a teacher|a parent of two|a gardener|between jobs]. Here for {T}.`;
