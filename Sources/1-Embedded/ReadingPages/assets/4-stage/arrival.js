// What becomes of the stage once the images for a wish are here, or are known not to come. Decides only; the reader carries it out.
import { sameChart, sameKeys } from "./reader-pages.js";

/// | wish                           | images that are here   | stage | told | is          | tried again                  |
/// |--------------------------------|------------------------|-------|------|-------------|------------------------------|
/// | another place                  | all                    | show  | yes  | ready       | if one is only a stand-in    |
/// | another place                  | not all: a card each   | show  | yes  | failed      | unless the failure is final  |
/// | the same place                 | all                    | show  | yes  | ready       | if one is only a stand-in    |
/// | the same place                 | not all, of this stop  | keep  | yes  | as it was   | unless the failure is final  |
/// | the same place                 | not all, of other stops| show  | yes  | failed      | unless the failure is final  |
/// | the same place, tried unasked  | those on the stage     | keep  | no   | as it was   | as above                     |
///
/// What is on the stage is better than a card, even if it is not as large or as new as it should be. `needed` are the requests for the wish,
/// `found` what is here for each (of another `kind` if it only stands in, null for nothing), `onStage` what is shown.
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
