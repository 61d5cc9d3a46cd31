/** Sentences of research papers. */
export const PAPER = `
We [measured|recorded|estimated|sampled] {measure} {place} [between|from] {month} {year} [and|to] {month} of the next year.
[Following|Extending|Adapting] {name} and {name} ({year}), we [define|treat|model] {measure} as [a latent variable|a rate|a ratio|an ordered scale].
{name} et al. ({year}) [report|observed|documented] [a similar|a weaker|the opposite] effect in {town}.
The sample [comprised|included|consisted of] {n} {things}, of which {few} were [excluded|damaged|duplicates|broken in transit].
[Contrary to|In line with|Consistent with] {name} ({year}), {measure} did not [predict|depend on|follow] {measure}.
[A mixed model|A permutation test|A bootstrap|A simple regression] with {measure} as [the outcome|a covariate|a random effect] [confirmed|weakened|preserved] this [result|pattern|ranking].
{n} {people} from {town} [took part|were recruited|completed the protocol|gave consent].
[All|Both|Most] {things} were [stored|handled|labelled|photographed] [at four degrees|in the dark|by the same person|within an hour].
Two [raters|observers|coders] [independently|blindly] [scored|classified|annotated] each {thing}; [agreement|reliability] was [high|moderate|acceptable].
[We attribute|One can attribute] the [residual|remaining] [variance|drift|difference] to {trouble}.
{trouble} is a [known|likely|plausible] [confounder|limitation|source of error] in [such|field|archival] [data|surveys|designs].
[Table|Figure|Panel|Appendix] {digit} [gives|summarizes|compares] {measure} [by site|by age|for each {thing}].
{act} [reduced|increased|barely changed] {measure} by {n} [percent|points|units] ([standard error|margin] {digit}).
The [effect|difference|trend] [persists|disappears|reverses] when {things} from {town} are [removed|weighted|analysed apart].
[Data|Code|Protocols] and [materials|scripts|codebooks] are [archived|deposited|available] at the [repository|university|archive] of {town}.
We [preregistered|fixed|published] the [analysis|stopping rule|hypotheses] before {act}.
[Prior|Earlier|Previous] [studies|surveys|reviews] of {T} [relied on|focused on|neglected] {things} {place}.
{field} [offers|provides|suggests] [a framework|a vocabulary|an alternative account] for {measure}.
[Recent|Current] [progress|debate] in {field} [motivates|complicates|supports] [closer scrutiny|new measurements|our design].
[Let $x_i$ be|Denote by $x_i$] the [value|count] of {measure} for {thing} $i$.
[The null hypothesis|The simpler model|Independence] could not be [rejected|improved|defended] for {measure}.
[Missing|Implausible|Extreme] values ([fewer than|about] {n} in a thousand) were [imputed|removed|winsorized|retained].
[Instruments|Loggers|Scales] were [calibrated|checked|replaced] [daily|weekly|before each visit] with {a tool}.
{a tool} [recorded|sampled|logged] {measure} every {n} [seconds|minutes|hours].
[These|Our] [findings|estimates|observations] [extend|qualify|complicate] the [account|argument|classification] of {name} ({year}).
[Whether|How far] this [generalizes|extends|transfers] to {town} [remains|is] [open|to be tested|unclear].
[A larger|A longer|A cheaper] [study|series|trial] [should|could] [combine|pair] {act} with {act}.
We [thank|acknowledge] {full}, {full} and the {people} of {town} for [access|advice|patience|comments].
[Ethical|Institutional] approval was [granted|waived] by the [board|committee] of {town} in {month} {year}.
The [median|mean|upper quartile] of {measure} was {n}.{digit}, [ranging|with a range] from {digit} to {n}.
[Sites|Cases|Plots] were [matched|stratified|chosen] by {measure} and [then|subsequently] [randomized|visited|assigned].
{people} [reported|underestimated|ranked] {trouble} more [often|strongly|readily] than {measure} [implied|suggested].
[Sensitivity|Robustness] [checks|analyses] [appear|are given] in the [appendix|supplement].
[Power|Precision] was [limited|sufficient] for [small|moderate] [effects|contrasts] [only|at best|throughout].
An [alternative|earlier] [interpretation|explanation], due to {name} ({year}), [invokes|requires] {trouble}.
[Interviews|Diaries|Field notes] from {town} [corroborate|contradict|illustrate] the [counts|ranking|timeline].
[Spatial|Temporal|Seasonal] [autocorrelation|clustering|structure] in {measure} was [modelled|removed|ignored].
The [first|third] [component|factor|axis] [loads on|separates|captures] {measure} and {measure}.
[Historical|Archival] [records|series] from {town} ({year}) [permit|allow] a [comparison|reconstruction].
[Neither|Both] {measure} [nor|and] {measure} [explained|moderated] the [delay|gap|surplus].
[Taken together|On balance|In sum], {act} [appears|seems] [worthwhile|redundant|decisive] {place}.
[Our|The] [design|sampling] [follows|departs from] the [protocol|manual|standard] of {name} [in|at] {few} [respects|points].
The [term|notion|label] "{adj} {thing}" [originates|is due] to {name}, [writing|working] in {town}.
[Replication|Repetition] by {name} and {name} in {town} [yielded|gave] [comparable|noisier|larger] [estimates|intervals].
We [first|then|finally] [ask|test|describe] whether {things} {place} [differ|vary|agree] in {measure}.
[Uncertainty|Measurement error] [dominates|matters] [below|above] {n} {things} per [site|run|cohort].
[Costs|Workload|Travel] [limited|determined] the number of [visits|replicates|sites] to {few}.
[Outliers|Anomalies] [coincide|align] with {trouble} {place}.
[Cross-validation|A holdout set|Simulation] [indicates|suggests] [little|no|some] overfitting.
[Trained|Experienced] {people} [performed|supervised|repeated] {act} [in pairs|without feedback|under supervision].
[No|Little] [evidence|indication] of {trouble} was [detected|seen] [after|before] {year}.
[Units|Definitions|Thresholds] [follow|are those of] {name} and {name}.
[Conversely|Similarly|Notably|Unexpectedly], {measure} [peaked|declined|levelled off] in {month}.
The [residuals|intervals|posteriors] [widen|narrow] for {adj} {things}.
[Ours|This] is the first [account|census|inventory] of {things} {place} since {name} ({year}).
`;
