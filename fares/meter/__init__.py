"""The taximeter: raw GPS fixes become distance by zone, waiting time and a grade that says what they prove.

`measure` runs five steps, one module each: `fixes` screens, `path` smooths and finds the stops, `distance` measures
on the roads and fills gaps, `grade` doubts, `legs` cuts at the perimeters. `state` collects the batches of a ride
under way. Settings and their reasons: `rules`.
"""

from fares.meter.distance import Cause, Fill, Gap, Matcher, Stretch, Way
from fares.meter.fixes import Dropped, DropReason, Fix
from fares.meter.grade import Doubt, DoubtCode, Grade
from fares.meter.legs import legs_by_zone, zone_legs
from fares.meter.measurement import Measurement, measure
from fares.meter.rules import MeterRules
from fares.meter.state import MeterState

__all__ = [
    "Cause",
    "Doubt",
    "DoubtCode",
    "DropReason",
    "Dropped",
    "Fill",
    "Fix",
    "Gap",
    "Grade",
    "Matcher",
    "Measurement",
    "MeterRules",
    "MeterState",
    "Stretch",
    "Way",
    "legs_by_zone",
    "measure",
    "zone_legs",
]
