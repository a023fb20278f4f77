#include "koppla/mechanics/joint_member.hpp"
