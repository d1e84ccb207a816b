#include "result/result.h"

#include <math.h>
#include <stdio.h>

const char *result_link_say(const struct result_link *link, char *ret, size_t size)
{
    bool lanes = link->width > 0;
    size_t used;

    ret[0] = '\0';
    if (link->speed_gt_s <= 0) {
        return ret;
    }
    if (lanes) {
        used = (size_t)snprintf(ret, size, "%.1f GT/s x%u", link->speed_gt_s, link->width);
    } else {
        used = (size_t)snprintf(ret, size, "%.1f Gb/s", link->speed_gt_s);
    }
    if (used >= size || link->max_speed_gt_s <= 0) {
        return ret;
    }
    if (lanes && link->max_width > 0) {
        snprintf(ret + used, size - used, " (max %.1f x%u)", link->max_speed_gt_s, link->max_width);
    } else {
        snprintf(ret + used, size - used, " (max %.1f)", link->max_speed_gt_s);
    }
    return ret;
}

bool result_link_degraded(const struct result_link *link)
{
    return (link->speed_gt_s > 0 && link->speed_gt_s < link->max_speed_gt_s) ||
           (link->width > 0 && link->width < link->max_width);
}

void result_health_forget(struct result_drive *drive)
{
    drive->numa_node = drive->power_state = NAN;
    drive->health = (struct result_health){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

double result_throttled_s(const struct result_health *health)
{
    /* fmax() passes over what is not known */
    double minutes = health->warning_temp_minutes + health->critical_temp_minutes;

    return fmax(health->throttled_s, 60 * minutes);
}

/* HOSTS.md section 5. */
#define RUN_DELAY_MOST 0.02

void result_interference_forget(struct result_interference *interference)
{
    *interference = (struct result_interference){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

bool result_interfered(const struct result_interference *interference)
{
    /* more than all of it is no share: the result was edited */
    return (interference->run_delay_share > RUN_DELAY_MOST && interference->run_delay_share <= 1) ||
           interference->throttled_periods > 0;
}
