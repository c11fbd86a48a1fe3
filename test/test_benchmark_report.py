# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0
"""The figures that the benches print: percentiles, medians of runs, ratios, verdicts."""

import json
import math
from pathlib import Path
import sys

import numpy as np
import pytest

sys.path.append(str(Path(__file__).resolve().parents[1]))

pytest.importorskip('rclpy')
pytest.importorskip('joint_kinematics.srv')
from joint_kinematics.msg import FrameState
from joint_kinematics.msg import FrameStates

from benchmark import forces
from benchmark import processes
from benchmark import report
from benchmark import robots
from benchmark import services
from benchmark import stream
from benchmark import streamed_loops
from benchmark import targets


@pytest.mark.parametrize('share', [0.0, 0.25, 0.5, 0.99, 1.0])
@pytest.mark.parametrize('count', [1, 2, 7, 100])
def test_percentiles_are_those_of_numpy(share: float, count: int) -> None:
    values = np.random.default_rng(count).uniform(-5.0, 5.0, count)
    expected = np.quantile(values, share)
    assert report.percentile(list(values), share) == pytest.approx(expected, abs=1e-12)


def test_nothing_measured_is_not_a_number() -> None:
    assert math.isnan(report.percentile([], 0.5))
    assert math.isnan(report.median([math.nan, math.nan]))
    assert math.isnan(report.ratio(1.0, 0.0))
    assert report.median([math.nan, 3.0, 1.0, 2.0]) == 2.0


def test_growth_exponent_of_a_power_law() -> None:
    def time_of(size: float) -> float:
        return 3e-5 * size**1.7

    exponent = report.growth_exponent((1e3, time_of(1e3)), (1e4, time_of(1e4)))
    assert exponent == pytest.approx(1.7, abs=1e-12)


def test_results_are_json_without_nan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, 'RESULTS', tmp_path)
    rows = [{'p50_us': math.nan, 'samples': [{'p50_us': 1.5}], 'cell': (7, 500.0)}]
    path = report.write_results('stream', {'rounds': 5}, rows)
    assert path.parent == tmp_path
    assert path.name.endswith('-stream.json')
    content = json.loads(path.read_text(encoding='utf-8'))
    assert content['rows'] == [{'p50_us': None, 'samples': [{'p50_us': 1.5}], 'cell': [7, 500.0]}]
    assert content['machine']['cores'] >= 1


def test_what_a_row_does_not_hold_is_left_blank_or_a_dash() -> None:
    assert [report.text(None), report.text(0), report.text('skipped')] == ['', '0', 'skipped']
    assert [report.number(1)(None), report.number(1)(2.25)] == ['-', '2.2']


def sample(key: str, p50: float, cpu: float, answered: float = 1.0) -> dict:
    """Return what a measurement of 60 joints at 1000 Hz gives."""
    return {
        'joints': 60,
        'hz': 1000.0,
        'key': key,
        'publisher': key,
        'p50_us': p50,
        'p99_us': 2.0 * p50,
        'answered': answered,
        'cpu_us': cpu,
        'cpu_answer_us': cpu / answered,
        'rate': 1000.0,
    }


def test_rows_are_medians_of_rounds_with_ratios_to_the_cpp_publisher() -> None:
    samples = [sample('this', p50, 60.0) for p50 in (90.0, 99.0, 500.0)]
    samples += [sample('rsp', 100.0, 50.0, answered=0.5) for _ in range(3)]
    samples += [sample('obvious', 400.0, 600.0) for _ in range(3)]
    rows = {row['key']: row for row in stream.summarize(samples)}
    assert rows['this']['p50_us'] == 99.0
    assert rows['this']['p50_ratio'] == pytest.approx(0.99)
    assert rows['this']['cpu_ratio'] == pytest.approx(1.2)
    assert rows['this']['cpu_answer_ratio'] == pytest.approx(0.6)
    assert rows['rsp']['p50_ratio'] == 1.0
    assert rows['obvious']['p50_ratio'] == pytest.approx(4.0)


def test_verdicts_judge_by_the_worst_cell() -> None:
    samples = [sample('this', 104.0, 60.0), sample('rsp', 100.0, 50.0)]
    samples.append(sample('obvious', 400.0, 239.0))
    verdicts = targets.stream_verdicts(stream.summarize(samples))
    assert [verdict.reached for verdict in verdicts] == [True, False, False, True]
    assert '1.20' in str(verdicts[1])
    assert str(verdicts[1]).startswith('MISSED')

    lossy = targets.stream_verdicts(stream.summarize([sample('this', 100.0, 60.0, 0.999)]))
    assert [str(verdict) for verdict in lossy] == [
        'MISSED   every message answered: 0.9990 (60 joints, 1000 Hz)'
    ]


def test_a_throttled_peer_is_judged_by_what_it_answers() -> None:
    samples = [sample('this', 100.0, 60.0), sample('rsp', 100.0, 50.0, answered=0.5)]
    verdicts = targets.stream_verdicts(stream.summarize(samples))
    assert [verdict.reached for verdict in verdicts] == [True, True, True]
    assert '0.60' in str(verdicts[1])


def test_force_rows_hold_times_of_one_state_and_ratios_to_what_was_timed() -> None:
    model = forces.load_model(robots.chain(2))
    seconds = {'ours': 6e-3, 'pin': 4e-3, 'pin_each': 12e-3, 'pin_compute': 1e-3}
    row = forces.row('inverse', 'a', model, seconds)
    assert row['joints'] == 2
    assert row['ours_us'] == pytest.approx(6e3 / forces.STATES)
    ratios = [row['ratio'], row['each_ratio'], row['compute_ratio']]
    assert ratios == pytest.approx([1.5, 0.5, 6.0])
    alone = forces.row('inverse', 'a', model, {'ours': 6e-3})
    assert not alone.keys() & forces.RATIOS.keys()


def test_force_verdicts_take_the_worst_ratio_and_the_growth_of_chains() -> None:
    rows = [
        {'question': 'inverse', 'robot': 'a', 'joints': 3, 'ratio': 0.8, 'each_ratio': 0.5},
        {'question': 'inverse', 'robot': 'b', 'joints': 3, 'ratio': 1.01, 'each_ratio': 0.6},
        {'question': 'forward', 'robot': 'b', 'joints': 3, 'ratio': 0.99},
    ]
    rows += [
        {'question': 'inverse', 'robot': 'chain', 'joints': n, 'ours_us': time}
        for n, time in ((10, 900.0), (100, 20.0), (1000, 400.0))
    ]
    verdicts = forces.verdicts(rows)
    assert [verdict.reached for verdict in verdicts] == [True, False, True, False]
    assert 'quickest way: 0.80, 1.01' in str(verdicts[1])
    assert '^1.30' in str(verdicts[3])
    assert len(forces.verdicts(rows[3:])) == 1


def test_forces_that_differ_from_the_peer_are_not_timed() -> None:
    model = forces.load_model(robots.chain(2))
    ones = np.ones(3)
    forces.refuse_difference(model, ones + 1e-9, ones)
    with pytest.raises(RuntimeError, match='chain_2: forces differ from those of Pinocchio'):
        forces.refuse_difference(model, 2.0 * ones, ones)


def test_streamed_loops_are_compared_with_the_tree_by_motors_and_by_all_joints() -> None:
    samples = [
        {'key': key, 'p50_us': 1.0, 'p99_us': 2.0, 'answered': answered, 'cpu_us': cpu}
        for key, cpu, answered in (
            ('tree', 70.0, 1.0),
            ('tree', 80.0, 1.0),
            ('tree', 75.0, 1.0),
            ('whole-tree', 100.0, 1.0),
            ('whole-tree', 140.0, 1.0),
            ('whole-tree', 120.0, 1.0),
            ('loops', 180.0, 1.0),
            ('loops', 900.0, 0.99),
            ('loops', 170.0, 1.0),
        )
    ]
    rows = streamed_loops.summarize(samples)
    assert [row['cpu_us'] for row in rows] == [75.0, 120.0, 180.0]
    assert rows[2]['ratio'] == pytest.approx(2.4)
    assert rows[2]['whole_ratio'] == pytest.approx(1.5)
    assert 'ratio' not in rows[0]
    verdicts = streamed_loops.verdicts(rows)
    assert [verdict.reached for verdict in verdicts] == [False, True, False]
    assert str(verdicts[2]) == 'MISSED   every message answered: 0.9900'
    skipped = [{'robot': 'digit_like', 'note': 'skipped'}]
    assert streamed_loops.verdicts(streamed_loops.summarize(skipped)) == []


def test_services_are_judged_by_the_forces_alone() -> None:
    rows = [
        {'service': 'get_dof_report', 'p50_ms': 9.0},
        {'service': 'get_constraint_forces', 'asked': 'all', 'p50_ms': 2.5},
        {'service': 'get_constraint_forces', 'asked': 'one closure', 'p50_ms': 1.5},
    ]
    assert [str(verdict) for verdict in services.verdicts(rows)] == [
        'MISSED   get_constraint_forces of all in 2 ms: 2.50 ms',
        'reached  get_constraint_forces of one closure in 2 ms: 1.50 ms',
    ]


def test_rows_of_services_hold_percentiles_and_what_the_client_does_itself() -> None:
    answer = services.CheckState.Response(success=True, valid=True)
    row = services.row('check_state', services.ALL, [1.0, 3.0, 2.0], answer)
    assert row['p50_ms'] == 2.0
    assert row['p99_ms'] == pytest.approx(2.98)
    assert row['bytes'] == len(services.serialize_message(answer))
    assert 0.0 < row['client_ms'] < 100.0


def test_answers_of_services_that_leave_something_out_are_not_timed() -> None:
    model = forces.load_model(robots.chain(2))
    whole = services.ComputeFk.Response()
    whole.states = [FrameStates(frames=[FrameState() for _ in model.links])]
    services.refuse_partial(model, 'compute_fk', services.ALL, whole)
    whole.states[0].frames.pop()
    with pytest.raises(RuntimeError, match=r'compute_fk answers \(2,\) where \(3,\) were asked'):
        services.refuse_partial(model, 'compute_fk', services.ALL, whole)
    report = services.GetDofReport.Response()
    with pytest.raises(RuntimeError, match=r'get_dof_report answers \(0,\) where \(2,\)'):
        services.refuse_partial(model, 'get_dof_report', services.ALL, report)
    loads = services.GetConstraintForces.Response()
    with pytest.raises(RuntimeError, match=r'forces answers \(0, 0, 0\) where \(2, 2, 2\)'):
        services.refuse_partial(model, services.FORCES, services.ALL, loads)
    with pytest.raises(RuntimeError, match=r'forces answers \(0, 0, 0\) where \(0, 1, 2\)'):
        services.refuse_partial(model, services.FORCES, services.ONE, loads)
    with pytest.raises(RuntimeError, match=r'check_state answers \(False, 0\)'):
        services.refuse_partial(model, 'check_state', services.ALL, services.CheckState.Response())


def test_soak_verdicts_compare_the_last_row_with_the_first() -> None:
    first = {'sent': 0, 'lost': 0, 'rss_mb': 72.0}
    kept = targets.soak_verdicts([first, {'sent': 10, 'lost': 0, 'rss_mb': 72.5}])
    assert [verdict.reached for verdict in kept] == [True, True]
    grown = targets.soak_verdicts([first, {'sent': 10, 'lost': 1, 'rss_mb': 73.5}])
    assert [verdict.reached for verdict in grown] == [False, False]


def test_publishers_side_by_side_get_domains_of_their_own() -> None:
    domains = [processes.fresh_domain() for _ in range(100)]
    assert sorted(domains) == list(range(1, 101))
    assert processes.fresh_domain() == domains[0]


def test_rotation_keeps_the_circle() -> None:
    assert stream.rotated('abc', 4) == ['b', 'c', 'a']
    assert stream.rotated('abc', -1) == ['c', 'a', 'b']


def test_chain_is_a_robot_of_so_many_joints() -> None:
    urdf = pytest.importorskip('urdf_parser_py.urdf')
    robot = urdf.URDF.from_xml_string(robots.chain(12))
    assert [joint.name for joint in robot.joints] == robots.joint_names(12)
    assert robot.get_root() == 'base_link'
    assert {joint.type for joint in robot.joints} == {'revolute'}
