// What happens on the stage once the images for a wish have arrived or failed. This function only decides; the reader acts.
import { sameChart, sameKeys } from "./reader-pages.js";

/// | wish                          | images that are here    | stage | reported | state     | tried again                 |
/// |-------------------------------|-------------------------|-------|----------|-----------|-----------------------------|
/// | another place                 | all                     | show  | yes      | ready     | if one is only a stand-in   |
/// | another place                 | not all: a card each    | show  | yes      | failed    | unless the failure is final |
/// | the same place                | all                     | show  | yes      | ready     | if one is only a stand-in   |
/// | the same place                | not all, of this stop   | keep  | yes      | as it was | unless the failure is final |
/// | the same place                | not all, of other stops | show  | yes      | failed    | unless the failure is final |
/// | the same place, tried unasked | those on the stage      | keep  | no       | as it was | as above                    |
///
/// Images on the stage are better than a card, even if they are too small or out of date. `needed` are the requests for the wish. `found`
/// has the best image for each: of another `kind` for a stand-in, null for none. `onStage` are the images shown.
export function arrivalOf({ isSame, isUnasked }, needed, found, onStage, failure) {
  const isHere = found.every(Boolean);
  const isThisStop = needed.length === onStage.length
    && needed.every((request, i) => onStage[i]?.position === request.position && sameChart(onStage[i].place, request.place));
  const isNoNews = isUnasked && sameKeys(found, onStage);
  const keeps = isSame && (isNoNews || (!isHere && isThisStop));
  const images = keeps ? onStage : found;
  const isWhole = found.every((request) => request && !request.kind);
  return {
    stage: keeps ? "keep" : "show", images, isTold: !(keeps && isUnasked), condition: images.every(Boolean) ? "ready" : "failed",
    isSame, isHere, isWhole, triesAgain: !isWhole && !failure?.isFinal,
  };
}
