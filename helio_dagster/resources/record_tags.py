"""Tags of recorded events that say whether a partition can be reused.

The names under `dagster/` are Dagster's own. They are repeated here so that the record can be read without loading Dagster; a
contract test checks them against the installed version.
"""

from __future__ import annotations

DATA_VERSION_TAG = "dagster/data_version"
CODE_VERSION_TAG = "dagster/code_version"
RETRY_TAG = "dagster/retry_on_asset_or_op_failure"
"""Run tag: `false` keeps Dagster from running again a run of which a step failed."""
INPUTS_TAG = "helio/inputs"
"""Tag of a materialization: fingerprint of the data versions it was made from."""
REPLACED_TAG = "helio/replaced"
"""Tag of a materialization: which less mature data of the partition it replaced, in words."""
EXPECTED = "expected"
"""How the names of asset checks begin that are evaluated partition by partition: what a pipeline's step expects."""
HOME_TAG = "helio/home"
"""Tag of a run and its steps: the home whose they are, in a record that several share."""
GROUP_TAG = "helio/group"
"""Tag of a run and its steps: the homes that may do it, because they share its tables."""
CODE_TAG = "helio/code"
"""Tag of a step: the code of its asset and of all that it is made from, as the home that launched the run has it."""
TAKEN_UP_TAG = "helio/taken_up"
"""Tag of a run: how often another worker took it up after the death of its own."""
PERSON_TAG = "helio/person"
"""Run tag: who began it, by their token or their account."""
RELEASE_TAG = "helio/release"
"""Tag of a run's steps: the release of helio_dagster that launched it."""
